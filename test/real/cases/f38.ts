import { fileURLToPath } from 'node:url';
import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { msBetween, type Entry } from '../support/log.ts';
import { processorOf, tellProcessor } from '../support/processor.ts';
import { Script, type ScriptLine } from '../support/script.ts';
import { eventually, within } from '../support/waiting.ts';

const FREED_MS_MAX = 100;
/** After the coordinator's deadline, until the next has it: what an expiry may take (F03). */
const EXPIRY_MS_MAX = 250;
const WARNED_MS_MAX = 1_000;

export const F38: FieldCase = {
  id: 'F38',
  title: 'S7 a lease whose owner is gone ends: at once behind a section that failed, else by its window or its ceiling',
  async run(bench, size) {
    const coordinator = await bench.coordinator();
    const waiter = bench.process().client('waiter', coordinator.url, { idleMs: 60_000 });
    await waiter.ready(30_000);
    const [rounds, ttlMs, ceilingMs] = size === 'full' ? [5, 3_000, 12_000] : [1, 3_000, 4_000];
    const place = { bench, coordinator, waiter, ttlMs };
    const before = processorOf(coordinator);
    const drop = dropped(place, ceilingMs);
    // Awaited below: what goes wrong until then must not be unhandled.
    drop.catch(() => undefined);
    for (let round = 0; round < rounds; round += 1)
      await Promise.all([fails(place, 'throw', round), fails(place, 'abort', round), threadEnds(place, round)]);
    await drop;
    tellProcessor(bench, coordinator, before);
    // A thread that is ended says no farewell.
    bench.ghosts = rounds;
  },
};

interface Place {
  readonly bench: Bench;
  readonly coordinator: CoordinatorProcess;
  readonly waiter: ClientHandle;
  readonly ttlMs: number;
}

const pathOf = (program: string): string => fileURLToPath(new URL(`./f38/${program}.ts`, import.meta.url));

/** Waits behind whoever holds `name`, and resolves with the instant of the grant. */
async function next({ bench, waiter, ttlMs }: Place, name: string): Promise<Entry> {
  const held = async (): Promise<true | null> => {
    const view = await waiter.inspect(name);
    // A LeaseView as JSON.
    return view.ok && (view.value as { readonly holders: readonly unknown[] }).holders.length > 0 ? true : null;
  };
  await eventually(held, 30_000, `${name} is held`);
  await waiter.acquire(name, name, { ttlMs });
  const found = await bench.log.find('held', (entry) => entry.key === name, 1_000, 'the grant is in the log');
  await waiter.release(name);
  return found;
}

async function fails(place: Place, how: 'throw' | 'abort', round: number): Promise<void> {
  const { bench, coordinator } = place;
  const name = `${how}-${round}`;
  using script = new Script(pathOf('section'), [coordinator.url, name, how]);
  const { at } = await next(place, name);
  const ms = msBetween((await script.says('fails')).at, at);
  bench.measure(`${how}: freed`, `${ms.toFixed(1)} ms`, `at most ${FREED_MS_MAX} ms`, ms >= 0 && ms <= FREED_MS_MAX);
  const { same, cause } = (await script.says('rejected')).fields;
  bench.measure(
    `${how}: run rejects with`,
    `${same === true ? 'the very error' : 'another error'}, cause ${String(cause)}`,
    'the error unchanged',
    same === true && cause === 'none',
  );
  await within(script.ended, 10_000, 'the section ends');
}

async function threadEnds(place: Place, round: number): Promise<void> {
  const { bench, coordinator, ttlMs } = place;
  const name = `thread-${round}`;
  using script = new Script(pathOf('thread'), [coordinator.url, name, String(ttlMs)]);
  const { at } = await next(place, name);
  const ms = msBetween((await script.says('ended')).at, at);
  bench.measure(
    'thread ended: freed',
    `${ms.toFixed(0)} ms`,
    `at most W = ${ttlMs} ms after it`,
    ms >= 0 && ms <= ttlMs,
  );
}

/** Nothing ties its renewal to an owner any more: it ends with its ceiling, and somebody is told. */
async function dropped(place: Place, ceilingMs: number): Promise<void> {
  const { bench, coordinator, ttlMs } = place;
  using script = new Script(pathOf('drops'), [coordinator.url, 'dropped', String(ttlMs), String(ceilingMs)]);
  const { at } = await next(place, 'dropped');
  const dropping = await script.says('dropped');
  const { handle, signal, released } = (await script.says('kept')).fields;
  const warned = script.lines.filter(({ what, fields }) => what === 'warned' && fields['code'] === 'dropped');
  measureWarnings(bench, warned, dropping);
  const ms = msBetween(dropping.at, at);
  bench.measure(
    'handle dropped: freed',
    `${ms.toFixed(0)} ms`,
    `by its ceiling of ${ceilingMs} ms; its client gives it back before, by the stop margin of ${ttlMs / 10} ms`,
    ms >= ceilingMs - ttlMs / 10 - FREED_MS_MAX && ms <= ceilingMs + EXPIRY_MS_MAX,
  );
  bench.measure(
    'leases of which their owner kept something',
    `handle ${String(handle)}; signal ${signal === true ? 'aborted' : 'not aborted'}; release gave back: ${String(released)}`,
    'held, and no warning',
    handle === 'held' && signal === false && released === true,
  );
  await within(script.ended, 10_000, 'the program that dropped it ends');
}

function measureWarnings(bench: Bench, warned: readonly ScriptLine[], dropping: ScriptLine): void {
  const [first] = warned;
  const ms = first === undefined ? Number.NaN : msBetween(dropping.at, first.at);
  bench.measure(
    'handle dropped: warnings',
    `${ms.toFixed(0)} ms after: ${warned.map(({ fields }) => String(fields['message'])).join('; ')}`,
    `one, of this lease alone, at most ${WARNED_MS_MAX} ms after memory is collected`,
    warned.length === 1 && String(first?.fields['message']).includes('"dropped"') && ms <= WARNED_MS_MAX,
  );
}
