import { LeaseError } from './errors.ts';
import type { Inside } from './inside.ts';
import type { LeaseView, ListOptions } from './public-view.ts';

/** `client.list`, see there. */
export function list(_inside: Inside, _options: ListOptions): AsyncIterableIterator<LeaseView> {
  throw new LeaseError({ code: 'internal', message: 'not built' });
}
