import type { Bench } from '../../real/support/bench.ts';
import type { ClientHandle, Settled } from '../../real/support/client-process.ts';
import type { FieldCase } from '../../real/support/field-case.ts';
import { entriesOf, msBetween, now, type Entry } from '../../real/support/log.ts';
import { eventually, within } from '../../real/support/waiting.ts';
import type { Effect } from '../page/orders.ts';
import type { Stage } from '../support/stage.ts';
import type { Tab } from '../support/tab.ts';
import { grantFor, measureSlowest } from './support/names.ts';
import { onStage } from './support/on-stage.ts';

const TTL_MS = 10_000;
const TIMES = 100;
const FREED_MS_MAX = 100;
const REFUSED_MS_MAX = 50;
/** The warning is due after a second, and a page's timers may be late on a busy machine. */
const WARNED_MS_MAX = 1_000 + 250;
const WAIT_MS = 1_500;
/** Two hundred starts in one turn, each with its frames; the machine may be busy. */
const RESTS_MS = 5_000;

export const F43: FieldCase = {
  id: 'F43',
  title: 'S10 an effect that is mounted twice leaves one of all it starts, and a nested claim of its own is told',
  async run(bench, size) {
    await onStage(
      bench,
      async (stage) => {
        const { client: owner } = stage.process('owner', TTL_MS);
        await owner.ready(30_000);
        const place = { bench, stage, owner };
        await mounted(place, 'client');
        await mounted(place, 'election');
        await mounted(place, 'claim');
        await onItsWay(place, size === 'full' ? 20 : 3);
        await nested(place);
      },
      { relayed: true },
    );
  },
};

interface Place {
  readonly bench: Bench;
  readonly stage: Stage;
  readonly owner: ClientHandle;
}

/** Somebody holds the name meanwhile, so that each start asks for a place in the queue. */
async function mounted({ bench, stage, owner }: Place, starts: Effect['starts']): Promise<void> {
  const name = `mounted-${starts}`;
  await owner.acquire(name, name);
  const tab = await stage.tab(name, TTL_MS);
  await tab.client.ready(30_000);
  const effect: Effect = starts === 'client' ? { starts, url: stage.url, options: { ttlMs: TTL_MS } } : { starts };
  tab.write({ do: 'mount', client: tab.label, call: name, key: name, name, effect, times: TIMES });
  // With clients of its own, the client that the tab began with stays beside them.
  const connections = starts === 'client' ? 3 : 2;
  const seen = await rest(stage, owner, name, connections);
  bench.measure(
    `start, clean-up, start of a ${starts}, ${TIMES} times in one turn`,
    seen,
    'one socket and one session of its own, one place in the queue',
    seen === inWords({ sockets: connections, sessions: connections, holders: 1, queue: 1 }),
  );
  const released = now();
  await owner.release(name);
  const { at } = await grantFor(stage.log, tab.client, name, released, 10_000);
  bench.measure(`${starts}: its turn`, `${msBetween(released, at).toFixed(0)} ms after the release`, 'it comes', true);
  const grants = entriesOf(stage.log.entries, 'held', tab.label).length;
  bench.measure(`${starts}: holders at rest`, grants, '1', grants === 1);
  await tab.close();
}

interface Counted {
  readonly sockets: number;
  readonly sessions: number;
  readonly holders: number;
  readonly queue: number;
}

const inWords = ({ sockets, sessions, holders, queue }: Counted): string =>
  `${sockets} sockets, ${sessions} sessions (the owner's among them), ${holders} holder, ${queue} in the queue`;

/** What is left when nothing moves any more. */
async function rest({ coordinator }: Stage, owner: ClientHandle, name: string, connections: number): Promise<string> {
  let seen = '';
  const calm = async (): Promise<true | null> => {
    const counts = await coordinator.counts();
    const view = await owner.inspect(name);
    if (counts === null || !view.ok) return null;
    const { holders, queue } = view.value as { readonly holders: readonly unknown[]; readonly queue: number }; // A LeaseView as JSON.
    const { sockets, sessions } = counts;
    seen = inWords({ sockets, sessions, holders: holders.length, queue });
    return sockets === connections && sessions === connections && queue === 1 ? true : null;
  };
  await eventually(calm, RESTS_MS, 'rest').catch(() => undefined);
  return seen;
}

/** The coordinator has granted, and the effect is cleaned up before its page hears of that. */
async function onItsWay({ bench, stage, owner }: Place, rounds: number): Promise<void> {
  const { log, relay } = stage;
  const tab = await stage.tab('on-its-way', TTL_MS);
  await tab.client.ready(30_000);
  const freed: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const name = `way-${round}`;
    const granted = relay.next('down', ({ type }) => type === 'granted');
    relay.delayMs.down = 300;
    tab.write({ do: 'claim', client: tab.label, call: name, key: name, name, options: {} });
    await within(granted, 10_000, 'the coordinator grants');
    const waiting = owner.acquire(name, name);
    await log.find('queued', (entry) => entry.key === name, 10_000, 'the owner waits');
    tab.write({ do: 'withdraw', client: tab.label, key: name });
    const settled = await log.find('settled', ({ call }) => call === name, 10_000, 'the claim settles');
    await waiting;
    const held = await grantFor(log, owner, name, 0n, 1_000);
    freed.push(msBetween(settled.at, held.at));
    relay.delayMs.down = 0;
    await owner.release(name);
  }
  measureSlowest(bench, 'cleaned up while the grant was on its way: freed', freed, FREED_MS_MAX);
  const believed = entriesOf(log.entries, 'held', tab.label).length;
  bench.measure('leases that the cleaned-up effect was given', believed, '0', believed === 0);
  await tab.close();
}

/** When the page itself asked. */
const calledAt = (entries: readonly Entry[], { call }: Settled): bigint =>
  entriesOf(entries, 'called').find((entry) => entry.call === call)?.at ?? 0n;

async function nested({ bench, stage }: Place): Promise<void> {
  const { log } = stage;
  const tab: Tab = await stage.tab('nested', TTL_MS);
  const name = 'own';
  await tab.client.acquire('outer', name);
  for (const waitMs of [undefined, WAIT_MS]) {
    const options = { whenOwn: 'reject' as const, ...(waitMs === undefined ? {} : { waitMs }) };
    const refused = await tab.client.acquire('inner', name, options);
    const ms = msBetween(calledAt(log.entries, refused), refused.at);
    bench.measure(
      `nested, whenOwn: 'reject', ${waitMs === undefined ? 'without' : 'with'} a wait limit`,
      `${refused.ok ? 'granted' : refused.code} after ${ms.toFixed(1)} ms`,
      `refused within ${REFUSED_MS_MAX} ms: it is its own`,
      !refused.ok && refused.code === 'already-held' && ms <= REFUSED_MS_MAX,
    );
  }
  const waited = await tab.client.acquire('inner', name, { waitMs: WAIT_MS });
  const asked = calledAt(log.entries, waited);
  const warned = entriesOf(log.entries, 'warning', tab.label).find(({ at }) => at > asked);
  const warnedMs = warned === undefined ? Number.NaN : msBetween(asked, warned.at);
  const tookMs = msBetween(asked, waited.at);
  bench.measure(
    'nested, by default',
    `warned after ${warnedMs.toFixed(0)} ms; ${waited.ok ? 'granted' : waited.code} after ${tookMs.toFixed(0)} ms`,
    `warned within ${WARNED_MS_MAX} ms, ended at its limit of ${WAIT_MS} ms`,
    warnedMs <= WARNED_MS_MAX && !waited.ok && tookMs >= WAIT_MS && tookMs <= WAIT_MS + 500,
  );
  await tab.client.release('outer');
}
