import { fileURLToPath } from 'node:url';
import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase, Size } from '../support/field-case.ts';
import { addMs, entriesOf, msBetween, now, quantile } from '../support/log.ts';
import { processorOf, tellProcessor } from '../support/processor.ts';
import { Script } from '../support/script.ts';
import { sleep } from '../support/waiting.ts';
import { leastMs, nameOf, prefixOf, socketOf, type Crowd } from './f02/names.ts';

const OVER_MS_MAX = 500;
const ACK_MS_MAX = 200;
const HEALTHY_TTL_MS = 3_000;
/** Between two looks at what is shown. */
const LOOK_MS = 200;

interface Plan extends Crowd {
  /** One in so many of the dying leases has a waiter. */
  readonly waiterEach: number;
  readonly healthy: number;
  /** How long all of them hold before the silence. */
  readonly holdMs: number;
}

const PLANS: Readonly<Record<Size, Plan>> = {
  full: { sockets: 50, perSocket: 100, ttlMs: 5_000, waiterEach: 10, healthy: 100, holdMs: 6_000 },
  ci: { sockets: 10, perSocket: 50, ttlMs: 3_000, waiterEach: 10, healthy: 20, holdMs: 0 },
};

const pathOf = (script: string): string => fileURLToPath(new URL(`./f02/${script}.ts`, import.meta.url));

/**
 * Those who fall silent, those who look on and those who hold on are processes apart, so that none of them slows what
 * is measured of another. That a lease is over is seen by a watch of its name, which all have from the silence on.
 */
export const F02: FieldCase = {
  id: 'F02',
  title: 'S7 thousands of leases that run out together are over at once, and neither delay nor cost those that live',
  async run(bench, size) {
    const plan = PLANS[size];
    const coordinator = await bench.coordinator();
    using crowd = new Script(pathOf('crowd'), [coordinator.url, JSON.stringify(plan)]);
    using onlookers = new Script(pathOf('onlookers'), [coordinator.url]);
    const healthy = holdOn(bench, coordinator, plan.healthy);
    const observer = bench.process().client('observer', coordinator.url, { idleMs: 60_000 });
    await Promise.all([healthy, observer.ready(30_000), crowd.says('held', 60_000), onlookers.says('ready')]);
    const names = namesOf(plan);
    const waited = names.filter((_, index) => index % plan.waiterEach === 0);
    onlookers.tell({ do: 'wait', names: waited });
    await onlookers.says('queued');
    await sleep(plan.holdMs);

    const shown = new Shown(bench, coordinator, observer);
    const before = processorOf(coordinator);
    crowd.tell({});
    const { last } = (await crowd.says('silent')).fields;
    const silentAt = now();
    onlookers.tell({ do: 'watch', names });
    await shown.until(addMs(silentAt, plan.ttlMs + 2 * OVER_MS_MAX));
    const endAt = now();
    tellProcessor(bench, coordinator, before);
    onlookers.tell({ do: 'report' });
    const report = reportIn((await onlookers.says('report')).fields);
    onlookers.tell({ do: 'leave' });
    await onlookers.ended;

    // Those who fell silent never say that they are gone.
    bench.ghosts = plan.sockets;
    const renewals = (last as readonly { readonly sentAt: string; readonly answeredAt: string }[]).map(
      ({ sentAt, answeredAt }) => ({ sentAt: BigInt(sentAt), answeredAt: BigInt(answeredAt) }),
    ); // Written by `crowd.ts`.
    measureEnds(bench, plan, renewals, report.over, { names, what: 'dying leases that were seen to be over' });
    measureEnds(bench, plan, renewals, report.granted, { names: waited, what: 'their waiters that were granted' });
    measureHealthy(bench, silentAt, endAt);
    shown.measure(report.least);
  },
};

const namesOf = ({ sockets, perSocket }: Crowd): readonly string[] =>
  Array.from({ length: sockets * perSocket }, (_, index) => nameOf(index % sockets, Math.floor(index / sockets)));

/** Holders that live, each on a socket of its own. */
async function holdOn(bench: Bench, { url }: CoordinatorProcess, count: number): Promise<void> {
  const owner = bench.process();
  const labels = Array.from({ length: count }, (_, index) => `healthy-${index}`);
  await Promise.all(
    labels.map((label) => owner.client(label, url, {}, true).acquire('h', label, { ttlMs: HEALTHY_TTL_MS })),
  );
}

interface Report {
  readonly granted: ReadonlyMap<string, bigint>;
  readonly over: ReadonlyMap<string, bigint>;
  readonly least: number;
}

function reportIn(fields: Readonly<Record<string, unknown>>): Report {
  const instants = (key: string): ReadonlyMap<string, bigint> =>
    new Map((fields[key] as readonly [string, string][]).map(([name, at]) => [name, BigInt(at)])); // Written by `onlookers.ts`.
  return { granted: instants('granted'), over: instants('over'), least: Number(fields['least']) };
}

interface Renewal {
  readonly sentAt: bigint;
  readonly answeredAt: bigint;
}

/** A lease's own deadline lies one window behind its last renewal, which was processed between sending and answer. */
function measureEnds(
  bench: Bench,
  { ttlMs }: Crowd,
  renewals: readonly Renewal[],
  ends: ReadonlyMap<string, bigint>,
  { names, what }: { readonly names: readonly string[]; readonly what: string },
): void {
  const found = names.flatMap((name) => {
    const [end, renewal] = [ends.get(name), renewals[socketOf(name)]];
    if (end === undefined || renewal === undefined) return [];
    const { sentAt, answeredAt } = renewal;
    return [{ least: msBetween(answeredAt, end) - ttlMs, most: msBetween(sentAt, end) - ttlMs }];
  });
  const late = found.map(({ least }) => least);
  const early = found.filter(({ most }) => most < 0).length;
  bench.measure(
    what,
    `${found.length} of ${names.length}; after their deadlines: median ${quantile(late, 0.5).toFixed(0)} ms, latest ${Math.max(...late).toFixed(0)} ms; early: ${early}`,
    `all, at most ${OVER_MS_MAX} ms after its own deadline, none before`,
    found.length === names.length && Math.max(...late) <= OVER_MS_MAX && early === 0,
  );
}

function measureHealthy(bench: Bench, from: bigint, to: bigint): void {
  const { entries } = bench.log;
  const lost = entriesOf(entries, 'lost').length;
  const held = entriesOf(entries, 'held').length;
  bench.measure('healthy leases lost', `${lost} of ${held}`, '0', lost === 0 && held > 0);
  const sentAt = new Map<string, bigint>();
  for (const { client, at, messages } of entriesOf(entries, 'sent'))
    for (const { type, request } of messages)
      if (type === 'renew') sentAt.set(`${client} ${JSON.stringify(request)}`, at);
  const acks = entriesOf(entries, 'received').flatMap(({ client, at, messages }) =>
    messages.flatMap(({ type, request }) => {
      const sent = type === 'renewed' ? sentAt.get(`${client} ${JSON.stringify(request)}`) : undefined;
      return sent === undefined || sent < from || at > to ? [] : [msBetween(sent, at)];
    }),
  );
  const p99 = quantile(acks, 0.99);
  bench.measure(
    `renewal answers of the healthy, ${acks.length} from the silence to the last end`,
    `median ${quantile(acks, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    `p99 under ${ACK_MS_MAX} ms`,
    acks.length > 0 && p99 < ACK_MS_MAX,
  );
}

/** What the coordinator and the client show of the dying, while they die: none of it may be below zero. */
class Shown {
  readonly #bench: Bench;
  readonly #http: string;
  readonly #observer: ClientHandle;
  readonly #least = new Map<string, { looks: number; ms: number }>();

  constructor(bench: Bench, coordinator: CoordinatorProcess, observer: ClientHandle) {
    this.#bench = bench;
    this.#http = coordinator.url.replace('ws', 'http');
    this.#observer = observer;
  }

  async until(end: bigint): Promise<void> {
    const watched = nameOf(0, 0);
    this.#observer.watch('w', watched);
    for (let look = 0; now() < end; look += 1) {
      await this.#look(look % 10);
      await sleep(LOOK_MS);
    }
    this.#observer.unwatch('w');
    for (const { remainingMs } of entriesOf(this.#bench.log.entries, 'viewed'))
      if (typeof remainingMs === 'number') this.#note('watch of the client', { remainingMs });
  }

  async #look(socket: number): Promise<void> {
    const [list, inspect, http] = await Promise.all([
      this.#observer.list(prefixOf(socket)),
      this.#observer.inspect(nameOf(socket, 1)),
      fetch(`${this.#http}/v1/leases?prefix=${encodeURIComponent(prefixOf(socket))}`).then((answer) => answer.json()),
    ]);
    if (!list.ok || !inspect.ok) throw new Error('the observer was refused');
    this.#note('list of the client', list.value);
    this.#note('inspect of the client', inspect.value);
    this.#note('GET /v1/leases', http);
  }

  #note(where: string, value: unknown): void {
    const before = this.#least.get(where) ?? { looks: 0, ms: Infinity };
    this.#least.set(where, { looks: before.looks + 1, ms: Math.min(before.ms, leastMs(value)) });
  }

  measure(onTheWire: number): void {
    const places = [...this.#least, ['views and places in the queue, as frames', { looks: 1, ms: onTheWire }] as const];
    const told = places.map(([where, { looks, ms }]) => `${where}: ${ms.toFixed(0)} ms (${looks})`);
    this.#bench.measure(
      'least time shown',
      told.join(', '),
      'none below 0, in all five places',
      places.length === 5 && places.every(([, { ms }]) => ms >= 0 && ms < Infinity),
    );
  }
}
