import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Bench } from '../support/bench.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { within } from '../support/waiting.ts';

const REFUSED_MS_MAX = 2_000;
const RECLAIMED_MS_MAX = 2_000;

export const F53: FieldCase = {
  id: 'F53',
  title: "S10 exactly one coordinator serves a file; another is refused within 2 s with the owner's name",
  async run(bench, size) {
    const data = bench.dataFile();
    const first = await bench.coordinator({ data });
    await refused(bench, 'a second one on the same file', data, first);
    const linked = join(bench.folder(), 'linked');
    symlinkSync(dirname(data), linked);
    await refused(bench, 'a second one through a symlinked folder', join(linked, 'leasehold.db'), first);
    const linkedFile = join(bench.folder(), 'leasehold.db');
    symlinkSync(data, linkedFile);
    await refused(bench, 'a second one through a symlinked file', linkedFile, first);
    await reclaimed(bench, first, size === 'full' ? 10 : 2);
    await bothAtOnce(bench, size === 'full' ? 50 : 5);
    await onOverlay(bench);
  },
};

interface Refusal {
  readonly code: number | null;
  readonly tookMs: number;
  readonly text: string;
}

async function refusalOf(rival: CoordinatorProcess, startedAt: number): Promise<Refusal> {
  const { code } = await within(rival.exit, 10_000, 'the second coordinator ends');
  return { code, tookMs: performance.now() - startedAt, text: rival.stderr.trim() };
}

async function refused(bench: Bench, what: string, data: string, owner: CoordinatorProcess): Promise<void> {
  const startedAt = performance.now();
  const refusal = await refusalOf(bench.spawnCoordinator({ data }), startedAt);
  bench.measure(
    what,
    inWords(refusal),
    `exit code not 0, at most ${REFUSED_MS_MAX} ms, one line naming the owner`,
    namesOwner(refusal, owner),
  );
  const counts = await owner.counts();
  bench.measure(`${what}: the first`, counts === null ? 'gone' : 'serves on', 'serves on', counts !== null);
}

const namesOwner = ({ code, tookMs, text }: Refusal, owner: CoordinatorProcess): boolean =>
  code !== 0 &&
  code !== null &&
  tookMs <= REFUSED_MS_MAX &&
  text.includes(String(owner.pid)) &&
  text.split('\n').length === 1;

const inWords = ({ code, tookMs, text }: Refusal): string => `exit ${code} after ${tookMs.toFixed(0)} ms: ${text}`;

/** kill -9 and a start at once: the lock of a dead process needs no help. */
async function reclaimed(bench: Bench, first: CoordinatorProcess, rounds: number): Promise<void> {
  let owner = first;
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await owner.kill();
    const startedAt = performance.now();
    owner = await bench.restart(owner);
    took.push(performance.now() - startedAt);
  }
  const slowest = Math.max(...took);
  bench.measure(
    `kill -9 and started again, ${rounds} times, slowest`,
    `serves after ${slowest.toFixed(0)} ms`,
    `at most ${RECLAIMED_MS_MAX} ms`,
    slowest <= RECLAIMED_MS_MAX,
  );
  await owner.stop();
}

async function bothAtOnce(bench: Bench, rounds: number): Promise<void> {
  let exactlyOne = 0;
  let named = 0;
  let slowest = 0;
  for (let round = 0; round < rounds; round += 1) {
    const data = bench.dataFile();
    const startedAt = performance.now();
    const rivals = [bench.spawnCoordinator({ data }), bench.spawnCoordinator({ data })] as const;
    const served = await Promise.all(
      rivals.map((rival) =>
        rival.ready().then(
          () => rival,
          () => null,
        ),
      ),
    );
    const winners = served.filter((rival) => rival !== null);
    const loser = rivals.find((rival) => !winners.includes(rival));
    const winner = winners[0];
    if (winners.length === 1) exactlyOne += 1;
    if (loser !== undefined && winner !== undefined) {
      const refusal = await refusalOf(loser, startedAt);
      slowest = Math.max(slowest, refusal.tookMs);
      if (namesOwner({ ...refusal, tookMs: 0 }, winner)) named += 1;
      else bench.violated([`F53 round ${round}: the loser said: ${refusal.text}`]);
    }
    await Promise.all(rivals.map((rival) => rival.kill()));
  }
  bench.measure(
    `both started at the same instant, ${rounds} times`,
    `exactly one served in ${exactlyOne}`,
    'every time',
    exactlyOne === rounds,
  );
  bench.measure('the loser named the owner', `${named} of ${rounds}`, 'every time', named === rounds);
  bench.measure(
    'the loser ended, slowest',
    `${slowest.toFixed(0)} ms`,
    `at most ${REFUSED_MS_MAX} ms`,
    slowest <= REFUSED_MS_MAX,
  );
}

/** Where this system lets us mount one: the lock holds on an overlay file system too. */
async function onOverlay(bench: Bench): Promise<void> {
  const base = bench.folder();
  const at = (part: string): string => join(base, part);
  for (const part of ['lower', 'store', 'merged']) mkdirSync(at(part));
  if (!mounted('tmpfs', at('store'))) {
    bench.measure('on an overlay file system', 'cannot be mounted here', 'where at hand', true);
    return;
  }
  try {
    for (const part of ['store/upper', 'store/work']) mkdirSync(at(part));
    const layers = `lowerdir=${at('lower')},upperdir=${at('store/upper')},workdir=${at('store/work')}`;
    if (mounted('overlay', at('merged'), layers)) await onMounted(bench, at('merged'));
    else bench.measure('on an overlay file system', 'cannot be mounted here', 'where at hand', true);
  } finally {
    spawnSync('umount', [at('store')]);
  }
}

async function onMounted(bench: Bench, folder: string): Promise<void> {
  try {
    const data = join(folder, 'leasehold.db');
    const first = await bench.coordinator({ data });
    await refused(bench, 'a second one on an overlay file system', data, first);
    await first.kill();
  } finally {
    spawnSync('umount', [folder]);
  }
}

const mounted = (type: string, at: string, options?: string): boolean =>
  spawnSync('mount', ['-t', type, ...(options === undefined ? [] : ['-o', options]), type, at]).status === 0;
