import type { Happened } from '../history.ts';
import { eventsOf, instant, type Of } from './reading.ts';

interface Stored {
  readonly version: number;
  readonly token: number;
  readonly value: string;
  readonly count: number;
}

/**
 * S4: nobody was told of a grant or a write that the disk did not have, and what was told is never lost. S3: what is
 * stored of a name is written in the order of its tokens, each by whom the token was granted to.
 */
export function lostWrites(events: readonly Happened[]): readonly string[] {
  const found: string[] = [];
  const grants = new Set<number>();
  const states = new Map<string, Stored[]>();
  const told = new Map<string, number>();
  // More than one where a page was loaded again, in another tab perhaps.
  const owners = Map.groupBy(eventsOf(events, 'claim-ended'), ({ token }) => token);
  for (const event of events) {
    switch (event.kind) {
      case 'disk-replaced':
        // What it did not have any more nobody can be blamed for.
        states.clear();
        told.clear();
        break;
      case 'grant-stored':
        grants.add(event.token);
        break;
      case 'claim-ended':
        if (event.token !== null && !grants.has(event.token))
          found.push(`S4 ${event.client} was told of ${event.token} at ${instant(event.at)}, which is not stored`);
        break;
      case 'state-stored':
        found.push(...wrongStored(states, event), ...foreign(event, owners.get(event.token)));
        break;
      case 'state-told': {
        const { client, name, version, value, at } = event;
        const stored = states.get(name)?.find((one) => one.version === version);
        // Told after the disk was replaced, of a write before it.
        if (stored === undefined && events.some((one) => one.kind === 'disk-replaced' && one.at < at)) break;
        told.set(name, Math.max(version, told.get(name) ?? 0));
        if (stored?.value !== value)
          found.push(
            `S4 ${client} was told at ${instant(at)} that "${name}" has ${value} as version ${version}; stored is ${stored?.value ?? 'nothing'}`,
          );
        break;
      }
      case 'state-left':
        if (event.version < (told.get(event.name) ?? 0))
          found.push(`S4 "${event.name}" ended at version ${event.version}; ${told.get(event.name)} had been told`);
        break;
      case 'leases-left': {
        const { onDisk, held } = event;
        const forgotten = onDisk.filter((token) => !held.includes(token));
        const unwritten = held.filter((token) => !onDisk.includes(token));
        if (forgotten.length > 0) found.push(`S4 the disk has leases that are over: ${forgotten.join(', ')}`);
        if (unwritten.length > 0) found.push(`S4 the disk does not have these leases: ${unwritten.join(', ')}`);
        break;
      }
      default:
    }
  }
  return found;
}

function foreign(
  { name, token, by, at }: Of<'state-stored'>,
  owners: readonly Of<'claim-ended'>[] | undefined,
): readonly string[] {
  return by === undefined || owners === undefined || owners.some(({ client }) => client === by)
    ? []
    : [`S3 "${name}": ${by} wrote under ${token} of ${owners[0]?.client} at ${instant(at)}`];
}

function wrongStored(
  states: Map<string, Stored[]>,
  { name, version, token, value, count, at }: Extract<Happened, { readonly kind: 'state-stored' }>,
): readonly string[] {
  const before = states.get(name) ?? [];
  const last = before.at(-1);
  states.set(name, [...before, { version, token, value, count }]);
  if (last === undefined) return [];
  return [
    ...(version > last.version ? [] : [`S4 "${name}": version ${version} at ${instant(at)} after ${last.version}`]),
    ...(count === last.count + 1 ? [] : [`S4 "${name}": ${count} at ${instant(at)} over ${last.count}`]),
    ...(token >= last.token ? [] : [`S3 "${name}": written under ${token} at ${instant(at)} after ${last.token}`]),
  ];
}
