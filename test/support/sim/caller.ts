import { reference, type ClientEvent } from '../../../client/core/types.ts';
import type { RequestId } from '../../../shared/ids.ts';
import type { SimulatedClient } from './client.ts';
import type { Mood } from './mutex.ts';
import type { Random } from './random.ts';

type Call = (key: RequestId) => readonly ClientEvent[];

const renew: Call = (key) => [{ kind: 'renew', key, reference: NOBODY }];
const stopRenewing: Call = (key) => [{ kind: 'stop-renewing', key }];
const release: Call = (key) => [{ kind: 'release', key, reference: NOBODY, handOver: false }];
const handOver: Call = (key) => [{ kind: 'release', key, reference: NOBODY, handOver: true }];
/** Whose answer nobody waits for. */
const NOBODY = reference(0);

const CALLS: readonly [Call, ...Call[]] = [
  renew,
  renew,
  renew,
  stopRenewing,
  release,
  handOver,
  (key) => [...handOver(key), ...renew(key)],
  (key) => [...handOver(key), ...handOver(key), ...stopRenewing(key)],
  (key) => [...handOver(key), ...release(key)],
  (key) => [...release(key), ...stopRenewing(key), ...renew(key)],
];

/** A program that knows no better: it calls what it likes on what it has and had, in whatever state that is. */
export function callAnything(client: SimulatedClient, random: Random, mood: Pick<Mood, 'calm'>): void {
  client.host.after(random.between(20, 900), () => {
    if (mood.calm) return;
    const key = client.recent[random.whole(0, client.recent.length - 1)];
    if (key !== undefined) for (const event of random.pick(CALLS)(key)) call(client, event);
    callAnything(client, random, mood);
  });
}

function call(client: SimulatedClient, event: ClientEvent): void {
  if (event.kind !== 'release' && event.kind !== 'renew') return client.handle(event);
  return client.ask(
    (mine) => ({ ...event, reference: mine }),
    () => undefined,
  );
}
