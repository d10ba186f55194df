import { LeaseError } from './errors.ts';
import type { Inside } from './inside.ts';
import type { LeaseView, WatchOptions } from './public-view.ts';

/** `client.watch`, see there. */
export function watch(_inside: Inside, _name: string, _options: WatchOptions): AsyncIterableIterator<LeaseView> {
  throw new LeaseError({ code: 'internal', message: 'not built' });
}
