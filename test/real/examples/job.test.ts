import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, expect, test } from 'vitest';
import { openTable } from '../../../examples/job/table.ts';
import { Bench } from '../support/bench.ts';
import { ROOT } from '../support/built.ts';
import { eachLine, exitOf, startChild, type Child, type Exit } from '../support/children.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import { viewsOf } from '../support/views.ts';
import { eventually, sleep, within } from '../support/waiting.ts';

const ITEMS = 200;
const TTL_MS = 3_000;
const STOPPED_AFTER_MS = 50;
const EXAMPLE = join(ROOT, 'examples/job');
/** Beside node_modules, so that `leasehold` is found as in the example itself. */
const WITHOUT_FENCE = join(ROOT, 'build/job-without-fence');

const started: Worker[] = [];
afterEach(() => {
  for (const { child } of started.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(WITHOUT_FENCE, { recursive: true, force: true }));

class Worker {
  readonly lines: string[] = [];
  readonly child: Child;
  readonly exit: Promise<Exit>;

  constructor(folder: string, [label, file, url, pauseMs]: readonly [string, string, string, number]) {
    this.child = startChild(process.execPath, [join(folder, 'job.ts'), label, file, url, String(pauseMs)]);
    this.exit = exitOf(this.child);
    started.push(this);
    for (const stream of [this.child.stdout, this.child.stderr]) eachLine(stream, (line) => this.lines.push(line));
  }

  /** A line that it has printed, or prints in time. */
  async says(pattern: RegExp, ms = 10_000): Promise<string> {
    return eventually(() => this.lines.find((line) => pattern.test(line)) ?? null, ms, `${String(pattern)} is said`);
  }

  /** Stops it soon behind a line of it: past the check that follows the line, and well inside the work behind that. */
  async stoppedAt(pattern: RegExp): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      eachLine(this.child.stdout, (line) => {
        if (!pattern.test(line)) return;
        setTimeout(() => {
          this.child.kill('SIGSTOP');
          resolve();
        }, STOPPED_AFTER_MS);
      });
    });
    await within(stopped, 20_000, `${String(pattern)} is said`);
  }

  async endsWell(): Promise<void> {
    const exit = await within(this.exit, 20_000, `a worker ends: ${this.lines.join('\n')}`);
    expect(exit).toEqual({ code: 0, signal: null });
  }
}

interface Write {
  readonly item: number;
  readonly token: number;
  readonly worker: string;
}

/** The example's table, in which the database itself writes down each write that gets through. */
function auditedTable(file: string): string {
  const table = openTable(file);
  table.close();
  const db = new Database(file);
  db.exec('CREATE TABLE writes (item INTEGER, token INTEGER, worker TEXT)');
  for (const what of ['INSERT', 'UPDATE']) {
    const copy = 'INSERT INTO writes VALUES (new.item, new.token, new.worker)';
    db.exec(`CREATE TRIGGER at_${what} AFTER ${what} ON items BEGIN ${copy}; END`);
  }
  db.close();
  return table.leaseName;
}

function contentOf(file: string): { readonly items: readonly number[]; readonly writes: readonly Write[] } {
  const db = new Database(file, { readonly: true });
  const items = db.prepare<[], number>('SELECT item FROM items ORDER BY item').pluck().all();
  const writes = db.prepare<[], Write>('SELECT * FROM writes ORDER BY rowid').all();
  db.close();
  return { items, writes };
}

/** Writes that got through though a newer token had written before. */
const stale = (writes: readonly Write[]): readonly Write[] =>
  writes.filter(({ token }, index) => writes.slice(0, index).some((earlier) => earlier.token > token));

const all = Array.from({ length: ITEMS }, (_, index) => index + 1);

async function stateOf(bench: Bench, coordinator: CoordinatorProcess, name: string): Promise<unknown> {
  const views = await viewsOf(await bench.raw(coordinator), name);
  return views.get(name)?.state?.value;
}

test('a job whose worker is killed goes on with the next one where it stopped, and every item is done once', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const file = join(bench.folder(), 'job.db');
  const name = auditedTable(file);
  const first = new Worker(EXAMPLE, ['A', file, coordinator.url, 10]);
  await first.says(/begins at item 1$/);
  const second = new Worker(EXAMPLE, ['B', file, coordinator.url, 2]);
  await second.says(/waits behind A \(pid \d+\)$/);
  await first.says(/ 60 \/ 200$/);
  const killedAt = performance.now();
  first.child.kill('SIGKILL');
  const takeover = await second.says(/takes over at item \d+$/);
  expect(performance.now() - killedAt).toBeLessThanOrEqual(TTL_MS + 250);
  expect(Number(/\d+$/.exec(takeover)?.[0])).toBeGreaterThan(60);
  await second.says(/all 200 items are done$/);
  await second.endsWell();
  const { items, writes } = contentOf(file);
  expect(items).toEqual(all);
  expect(stale(writes)).toEqual([]);
  expect(new Set(writes.map(({ worker }) => worker))).toEqual(new Set(['A', 'B']));
  // One more at the most: the item that was written and not checkpointed.
  expect(writes.length).toBeLessThanOrEqual(ITEMS + 1);
  expect(await stateOf(bench, coordinator, name)).toEqual({ done: ITEMS });
});

test('an item whose worker dies between the write and the checkpoint is done again, and stays one row', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const relay = await bench.relay(() => coordinator);
  const file = join(bench.folder(), 'job.db');
  auditedTable(file);
  const isCheckpoint = (message: { readonly [field: string]: unknown }): boolean =>
    message['type'] === 'setState' && JSON.stringify(message['value']) === JSON.stringify({ done: 5 });
  const checkpoint = relay.next('up', isCheckpoint, () => 'swallow');
  const first = new Worker(EXAMPLE, ['A', file, relay.url, 10]);
  await within(checkpoint, 10_000, 'the checkpoint of item 5 is on its way');
  first.child.kill('SIGKILL');
  const second = new Worker(EXAMPLE, ['B', file, coordinator.url, 0]);
  await second.says(/takes over at item 5$/);
  await second.says(/did item 5 again/);
  await second.endsWell();
  const { items, writes } = contentOf(file);
  expect(items).toEqual(all);
  expect(writes.filter(({ item }) => item === 5).map(({ worker }) => worker)).toEqual(['A', 'B']);
  expect(stale(writes)).toEqual([]);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends a worker behind its item, and the next goes on at once',
  async (signal) => {
    await using bench = new Bench();
    const coordinator = await bench.coordinator();
    const file = join(bench.folder(), 'job.db');
    auditedTable(file);
    const [first, second] = ['A', 'B'].map((label) => new Worker(EXAMPLE, [label, file, coordinator.url, 20]));
    if (first === undefined || second === undefined) throw new Error('two workers');
    const holder = await Promise.any([first, second].map((worker) => worker.says(/ 10 \/ 200$/).then(() => worker)));
    const other = holder === first ? second : first;
    holder.child.kill(signal);
    const stopped = await holder.says(/stops after item \d+$/);
    const next = await other.says(/takes over at item \d+$/, 500);
    expect(Number(/\d+$/.exec(next)?.[0])).toBe(Number(/\d+$/.exec(stopped)?.[0]) + 1);
    await holder.endsWell();
    other.child.kill(signal);
    await other.endsWell();
  },
);

/** A holder is stopped in an item, another takes over and is at work, the first wakes. What got through afterwards. */
async function wokenTooLate(folder: string): Promise<{ readonly sleeper: Worker; readonly writes: readonly Write[] }> {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const file = join(bench.folder(), 'job.db');
  auditedTable(file);
  // Nearly all of its time passes between check and write.
  const sleeper = new Worker(folder, ['A', file, coordinator.url, 400]);
  await sleeper.stoppedAt(/ 10 \/ 200$/);
  const other = new Worker(folder, ['B', file, coordinator.url, 2]);
  await other.says(/takes over at item 11$/);
  await eventually(() => (contentOf(file).items.length > 20 ? true : null), 5_000, 'B is at work');
  sleeper.child.kill('SIGCONT');
  await sleeper.says(/lost the lease: missed-ack$/);
  await sleep(300);
  await other.says(/all 200 items are done$/);
  await Promise.all([sleeper.endsWell(), other.endsWell()]);
  const { items, writes } = contentOf(file);
  expect(items).toEqual(all);
  return { sleeper, writes };
}

test('S2 a worker that wakes inside its write, after another took over, is refused by the table', async () => {
  const { sleeper, writes } = await wokenTooLate(EXAMPLE);
  expect(await sleeper.says(/was refused by the table/)).toMatch(/item 11 is not mine$/);
  expect(stale(writes)).toEqual([]);
  expect(writes).toHaveLength(ITEMS);
});

test('without the fence in the table the same write gets through', async () => {
  cpSync(EXAMPLE, WITHOUT_FENCE, { recursive: true });
  const path = join(WITHOUT_FENCE, 'table.ts');
  const source = readFileSync(path, 'utf8');
  const changed = source.replace('  WHERE :token >= token\n', '');
  expect(changed).not.toBe(source);
  writeFileSync(path, changed);
  const { sleeper, writes } = await wokenTooLate(WITHOUT_FENCE);
  expect(sleeper.lines.join('\n')).not.toMatch(/refused/);
  const got = stale(writes).map(({ item, worker }) => ({ item, worker }));
  expect(got, sleeper.lines.join('\n')).toEqual([{ item: 11, worker: 'A' }]);
});
