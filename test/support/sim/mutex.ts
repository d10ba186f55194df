import type { AcquireTerms } from '../../../client/core/types.ts';
import type { LeaseName, RequestId } from '../../../shared/ids.ts';
import { durationMs } from '../../../shared/time.ts';
import type { SimulatedClient } from './client.ts';
import { NAMES, type Stage } from './faults.ts';
import type { Random } from './random.ts';
import { TERMS } from './scripted.ts';

export interface Mutex {
  /** From here on short holds only, and grants are counted. */
  calm(): void;
  /** Grants of each client since. */
  readonly since: ReadonlyMap<string, number>;
}

const CONNECT_MS_MAX = 2_000;
/** Timers of a platform are late at times. */
const SLACK_MS = 100;

/** Every client claims, holds, writes and lets go, for ever. */
export function mutex({ world, clients, coordinator, history }: Stage, random: Random, names: number): Mutex {
  const since = new Map(clients.map(({ id }) => [id, 0]));
  let isCalm = false;

  function terms(): AcquireTerms {
    const ttlMs = durationMs(random.pick([1_000, 1_500, 2_000, 3_000, 6_000]));
    return {
      ...TERMS,
      ttlMs,
      name: NAMES[random.whole(1, names) - 1] ?? NAMES[0],
      waitMs: random.chance(0.6) ? null : durationMs(random.pick([0, 800, 4_000])),
      renew: random.chance(0.9),
      priority: random.chance(0.1) ? 1 : undefined,
      lockDelayMs: random.chance(0.1) ? durationMs(500) : undefined,
      minHoldMs: random.chance(0.1) ? durationMs(700) : undefined,
      steal: !isCalm && random.chance(0.05),
    };
  }

  function work(client: SimulatedClient): void {
    let current: RequestId | null = null;
    let lateAt = Infinity;
    const again = (ms: number): void => {
      const mine = current;
      client.host.after(ms, () => {
        if (mine === current) claim();
      });
    };
    const claim = (): void => {
      const asked = terms();
      current = client.acquire(asked);
      // One try takes an answer, and as long as a dial may take at most.
      const limitMs = asked.waitMs === 0 ? CONNECT_MS_MAX : asked.waitMs;
      lateAt = isCalm && limitMs !== null ? client.host.mono + limitMs + SLACK_MS : Infinity;
    };
    client.onClaim = (key, outcome) => {
      history.note(
        world.now,
        `${client.id} ${key} ${outcome.kind === 'granted' ? `granted ${outcome.fencingToken}` : outcome.failure.code}`,
      );
      if (key !== current) return;
      if (client.host.mono > lateAt) history.broken.push(`S10 ${client.id} ${key} ended after the end of its wait`);
      if (outcome.kind === 'failed') return again(random.between(20, 600));
      history.counts.grants += 1;
      since.set(client.id, (since.get(client.id) ?? 0) + (isCalm ? 1 : 0));
      return hold(key, outcome.name);
    };
    client.onLease = (key, news) => {
      if (news.kind === 'renewed') return undefined;
      history.note(world.now, `${client.id} ${key} ${news.kind}${'code' in news ? ` ${news.code}` : ''}`);
      if (news.kind === 'lost') history.counts.losses += 1;
      if (news.kind === 'recovered') history.counts.recovered += 1;
      if (news.kind === 'at-risk' && news.why === 'doubt') history.counts.doubts += 1;
      return key === current && (news.kind === 'lost' || news.kind === 'released')
        ? again(random.between(1, 400))
        : undefined;
    };
    function hold(key: RequestId, name: LeaseName): void {
      if (random.chance(0.4)) {
        client.ask(
          (reference) => ({ kind: 'set-state', key, reference, value: { by: client.id }, ifVersion: undefined }),
          (outcome) => {
            if (outcome.kind !== 'state-set') return;
            history.counts.writes += 1;
            const stored = coordinator.image.states.get(name)?.version ?? 0;
            if (stored < outcome.version)
              history.broken.push(`S4 ${client.id} was told of version ${outcome.version}; stored is ${stored}`);
          },
        );
      }
      client.host.after(isCalm ? random.between(5, 200) : random.between(50, 7_000), () => {
        if (key !== current) return;
        if (random.chance(0.1)) return client.handle({ kind: 'stop-renewing', key });
        return client.ask(
          (reference) => ({ kind: 'release', key, reference, handOver: random.chance(0.1) }),
          (outcome) => {
            // Nobody to hand it to: it is kept, and let go in the end.
            if (outcome.kind === 'released' && outcome.code === 'nobody-waiting')
              client.handle({ kind: 'stop-renewing', key });
          },
        );
      });
    }
    client.onStart = () => {
      current = null;
      again(random.between(0, 500));
    };
    client.onStart();
  }

  for (const client of clients) work(client);
  return {
    calm: () => {
      isCalm = true;
    },
    since,
  };
}
