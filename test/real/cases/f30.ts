import { fileURLToPath } from 'node:url';
import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { entriesOf, msBetween } from '../support/log.ts';
import { Script } from '../support/script.ts';
import { eventually, sleep, within } from '../support/waiting.ts';

const TTL_MS = 3_000;
const EXIT_MS_MAX = 1_000;
const FREED_MS_MAX = 100;
const GRANT_AFTER_MS = 5_000;
/** The default in Node, and how much longer a process may take to end. */
const IDLE_MS = 1_000;
const IDLE_SLACK_MS = 500;

export const F30: FieldCase = {
  id: 'F30',
  title: 'S10 a script ends soon after its client is closed or idle, and not before what it awaits or while it holds',
  async run(bench, size) {
    const rounds = size === 'full' ? 10 : 1;
    const coordinator = await bench.coordinator();
    const waiter = bench.process().client('waiter', coordinator.url, { idleMs: 60_000 });
    await waiter.ready(30_000);
    for (let round = 0; round < rounds; round += 1) {
      const place = { bench, coordinator, waiter, round };
      await Promise.all([
        awaited(place),
        (async () => {
          await freed(place, '(a) acquire, release, close', 'released');
          await freed(place, '(b) acquire, close', 'closed');
          await dropped(place);
        })(),
      ]);
      await reconnecting(place, []);
      await reconnecting(place, ['holds']);
    }
    // The script that is dropped while it holds is killed.
    bench.ghosts = rounds;
  },
};

interface Place {
  readonly bench: Bench;
  readonly coordinator: CoordinatorProcess;
  readonly waiter: ClientHandle;
  readonly round: number;
}

const scriptOf = (file: string, args: readonly string[]): Script =>
  new Script(fileURLToPath(new URL(`./f30/${file}.ts`, import.meta.url)), args);

interface Ending {
  readonly code: number | null;
  /** After it said `ends`. */
  readonly ms: number;
}

async function endOf({ ended, lines, stderr }: Script): Promise<Ending> {
  const { code, at } = await within(ended, 20_000, `a script ends by itself: ${stderr}`);
  const ends = lines.find(({ what }) => what === 'ends');
  return { code, ms: ends === undefined ? Number.NaN : msBetween(ends.at, at) };
}

function measureExit(bench: Bench, what: string, { code, ms }: Ending): void {
  bench.measure(
    what,
    `exit ${code} after ${ms.toFixed(0)} ms`,
    `exit 0, at most ${EXIT_MS_MAX} ms`,
    code === 0 && ms <= EXIT_MS_MAX,
  );
}

/** (a, b) Somebody waits for the lease meanwhile. */
async function freed({ bench, coordinator, waiter, round }: Place, what: string, file: string): Promise<void> {
  const name = `${file}-${round}`;
  using script = scriptOf(file, [coordinator.url, name]);
  await eventually(async () => ((await holdersOf(waiter, name)) === 1 ? true : null), 30_000, `${name} is held`);
  await waiter.acquire(name, name, { ttlMs: TTL_MS });
  measureExit(bench, what, await endOf(script));
  const held = entriesOf(bench.log.entries, 'held', 'waiter').find((entry) => entry.name === name);
  const ms = msBetween((await script.says('ends')).at, held?.at ?? 0n);
  bench.measure(`${what}: the next has it`, `${ms.toFixed(1)} ms`, `at most ${FREED_MS_MAX} ms`, ms <= FREED_MS_MAX);
  if (file === 'closed') {
    const { fields } = await script.says('closed');
    bench.measure(
      'close called three times',
      fields['same'] ? 'one promise' : 'several',
      'one',
      fields['same'] === true,
    );
  }
  await waiter.release(name);
}

async function holdersOf(waiter: ClientHandle, name: string): Promise<number> {
  const view = await waiter.inspect(name);
  return view.ok ? (view.value as { readonly holders: readonly unknown[] }).holders.length : 0; // A LeaseView as JSON.
}

/** (c) */
async function awaited({ bench, coordinator, waiter, round }: Place): Promise<void> {
  const name = `awaited-${round}`;
  await waiter.acquire(name, name, { ttlMs: TTL_MS });
  using script = scriptOf('waits', [coordinator.url, name]);
  await script.says('asks');
  await sleep(GRANT_AFTER_MS);
  const alive = script.living;
  await waiter.release(name);
  const { code, ms } = await endOf(script);
  bench.measure(
    `(c) awaits a grant that comes after ${GRANT_AFTER_MS / 1_000} s`,
    `${alive ? 'alive' : 'gone'} by then; exit ${code} ${ms.toFixed(0)} ms after it closed`,
    'alive, exit 0',
    alive && code === 0,
  );
}

/** (d) Its coordinator is killed; nobody else's is. */
async function reconnecting({ bench, round }: Place, args: readonly string[]): Promise<void> {
  const coordinator = await bench.coordinator();
  const holder = await bench.raw(coordinator);
  const name = `reconnecting-${round}`;
  holder.send({ type: 'acquire', request: 'a', name, ttlMs: TTL_MS });
  await holder.take('granted');
  using script = scriptOf('reconnects', [coordinator.url, name, ...args]);
  await script.says('waits');
  await coordinator.kill();
  const what = `(d) close while reconnecting${args.length > 0 ? ', a lease held' : ''}`;
  measureExit(bench, what, await endOf(script));
  const { promises, election } = (await script.says('closed')).fields;
  const ends = script.lines.filter((line) => line.what === 'settles').map(({ fields }) => fields);
  const others = ends
    .filter(({ as }) => as !== 'closed')
    .map((end) => `${String(end['promise'])} ${String(end['as'])}`);
  bench.measure(
    `${what}: what was pending`,
    `${ends.length} of ${String(promises)} settled${others.length > 0 ? `; ${others.join(', ')}` : ' with "closed"'}; election ${String(election)}`,
    'every promise settles',
    ends.length === promises && ends.length > 7 && election === 'stopped',
  );
}

/** (e) The choice: an idle client ends after `idleMs`; a held lease is renewed, and keeps its process alive. */
async function dropped({ bench, coordinator, waiter, round }: Place): Promise<void> {
  const kept = `kept-${round}`;
  using idle = scriptOf('dropped', [coordinator.url, `idle-${round}`]);
  using holding = scriptOf('dropped', [coordinator.url, kept, 'holds']);
  await holding.says('ends');
  const endedAt = performance.now();
  const { code, ms } = await endOf(idle);
  bench.measure(
    '(e) dropped, nothing held',
    `exit ${code} after ${ms.toFixed(0)} ms`,
    `exit 0 after idleMs = ${IDLE_MS} ms`,
    code === 0 && ms >= IDLE_MS - 50 && ms <= IDLE_MS + IDLE_SLACK_MS,
  );
  await sleep(1.2 * TTL_MS - (performance.now() - endedAt));
  const held = (await holdersOf(waiter, kept)) === 1;
  bench.measure(
    '(e) dropped while it holds',
    `${holding.living ? 'alive' : 'gone'}, ${held ? 'renewed' : 'run out'}`,
    'alive past its window, and renewed',
    holding.living && held,
  );
}
