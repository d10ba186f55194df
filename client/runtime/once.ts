import { LeaseError } from './errors.ts';
import type { Inside } from './inside.ts';
import type { OnceOptions, OnceResult } from './public-once.ts';
import type { Work } from './run.ts';

/** `client.once`, see there. */
export function once<T>(_inside: Inside, _name: string, _options: OnceOptions, _work: Work<T>): Promise<OnceResult<T>> {
  throw new LeaseError({ code: 'internal', message: 'not built' });
}
