import { beliefsOf } from '../../real/support/beliefs.ts';
import type { Entry } from '../../real/support/log.ts';
import { listen, type Heard } from './wire.ts';

/** One lease from its claim to its end, as its client's socket and its client saw it. */
export interface Hold {
  readonly name: string;
  readonly client: string;
  readonly token: number;
  /** When the claim went out first; null where the socket was not recorded. */
  readonly claimedAt: bigint | null;
  /** When its client knew of it. */
  readonly toldAt: bigint;
  /** It stood in the queue first. */
  readonly contested: boolean;
  /** The end of the last belief in it; null where nobody said `held`: its process died before it could. */
  readonly believedUntil: bigint | null;
  /** When the coordinator's word came that it was let go. */
  readonly endedBy: bigint | null;
}

type Making = { -readonly [K in keyof Hold]: Hold[K] };

const made = (of: Pick<Hold, 'name' | 'client' | 'token' | 'toldAt' | 'contested' | 'claimedAt'>): Making => ({
  ...of,
  believedUntil: null,
  endedBy: null,
});

/** Every lease of the run, by the sockets where they were recorded and by `held` where they were not. */
export function holdsIn(entries: readonly Entry[]): readonly Hold[] {
  const holds = new Map<string, Making>();
  const queued = new Set<unknown>();
  listen(entries, {
    heard: (heard) => learn(holds, queued, heard),
    other: (entry) => {
      const { at, client } = entry;
      if (entry.event === 'queued') queued.add(`${client} ${entry.key}`);
      if (entry.event !== 'held') return;
      const { name, token, key } = entry;
      const slot = `${client} ${token}`;
      const contested = queued.has(`${client} ${key}`);
      const known = holds.get(slot);
      if (known === undefined) holds.set(slot, made({ name, client, token, toldAt: at, contested, claimedAt: null }));
      else known.contested ||= contested;
    },
  });
  for (const { client, token, to } of beliefsOf(entries)) {
    const hold = holds.get(`${client} ${token}`);
    if (hold !== undefined && to > (hold.believedUntil ?? 0n)) hold.believedUntil = to;
  }
  return [...holds.values()];
}

function learn(holds: Map<string, Making>, queued: Set<unknown>, { at, client, message, asked }: Heard): void {
  const { type, name, fencingToken: token } = message;
  if (type === 'queued' && asked !== null) {
    queued.add(asked);
  } else if (type === 'granted' && typeof name === 'string' && typeof token === 'number') {
    const slot = `${client} ${token}`;
    // A grant is told again where its answer was lost; the first time counts.
    if (holds.has(slot)) return;
    const contested = queued.has(asked);
    holds.set(slot, made({ name, client, token, toldAt: at, contested, claimedAt: asked?.at ?? null }));
  } else if (type === 'released' && message['released'] === true) {
    const hold = holds.get(`${client} ${Number(asked?.message['fencingToken'])}`);
    if (hold !== undefined) hold.endedBy ??= at;
  }
}
