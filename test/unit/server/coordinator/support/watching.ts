import type { ClientMessageOf, WireLeaseView } from '../../../../../shared/frames.ts';
import { leaseName, requestId } from '../../../../../shared/ids.ts';
import { listeningMs } from '../../../../../shared/time.ts';
import type { CoreDriver } from '../../../../support/core-driver.ts';
import type { RawClient } from '../../../../support/raw-client.ts';

export const watch = (name: string, request = `watch ${name}`): ClientMessageOf<'watch'> => ({
  type: 'watch',
  request: requestId(request),
  name: leaseName(name),
});

export const unwatch = (request: string): ClientMessageOf<'unwatch'> => ({
  type: 'unwatch',
  request: requestId(request),
});

/** A client that watches the names and has heard the first view of each. */
export function watcher(driver: CoreDriver, ...names: readonly string[]): RawClient {
  const client = driver.client('watcher').connect();
  client.send(...names.map((name) => watch(name)));
  client.heard = [];
  return client;
}

/** The views that were heard since last asked, in short. */
export const heard = (client: RawClient): readonly string[] =>
  client.take('view').flatMap(({ views }) => views.map(inShort));

/** Who holds the name, what is left of it, the queue, and the state: `printer a 30000 queue 0 state 1`. */
export function inShort({ name, holders, queue, state }: WireLeaseView): string {
  const held = holders.map(({ label, remainingMs }) => `${label} ${remainingMs}`).join(', ');
  const stated = state === undefined ? '' : ` state ${JSON.stringify(state.value)}`;
  return `${name} ${held === '' ? 'free' : held} queue ${queue}${stated}`;
}

/** What HTTP would show of the name at this instant. */
export const shownNow = (driver: CoreDriver, name: string): WireLeaseView =>
  driver.core.show(listeningMs(driver.now), leaseName(name));
