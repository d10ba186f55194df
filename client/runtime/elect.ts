import { LeaseError } from './errors.ts';
import type { Inside } from './inside.ts';
import type { ElectOptions, Election } from './public-election.ts';

/** `client.elect`, see there. */
export function elect(_inside: Inside, _name: string, _options: ElectOptions): Election {
  throw new LeaseError({ code: 'internal', message: 'not built' });
}
