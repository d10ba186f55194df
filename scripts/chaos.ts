/** Real processes under real faults, for a chosen time (test/chaos). */
import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Fault } from '../test/chaos/fault.ts';
import { FAULTS } from '../test/chaos/faults.ts';
import { judgeRun } from '../test/chaos/judges/judge-run.ts';
import { missed } from '../test/chaos/needed.ts';
import { play } from '../test/chaos/play.ts';
import { writeReport } from '../test/chaos/report/write-report.ts';
import { keep, readKept, type KeptRun } from '../test/chaos/run-file.ts';
import { runOf } from '../test/chaos/run-of.ts';
import { missingTools, type Tool } from '../test/chaos/tools.ts';
import { presentCommit } from './support/commit.ts';
import { root } from './support/files.ts';
import { openOut } from './support/out-folder.ts';
import { Refusal, refusing } from './support/refusal.ts';

const HELP = `npm run chaos -- [--minutes M] [--seed S] [--out FOLDER] [--only KIND,...]

One coordinator (the built command, on a small disk of its own) and five processes of
clients are broken in every way below for M minutes, then left in peace. Who believed
what, when, is judged; a report with a picture, and the whole log, are written to FOLDER.

  --minutes M    for how long there are faults (default: 2)
  --seed S       which faults, whom they hit, for how long (default: 1). The same seed
                 is the same plan; when each of its faults comes, and so what it
                 meets, depends on real time
  --out FOLDER   where the report goes (default: build/chaos)
  --only K,K     only these kinds of faults
  --require-all  fails where this machine cannot play a kind of fault, instead of
                 leaving it out (as LEASEHOLD_SKIP_NOTHING=1 does)
  --judge FILE   plays nothing: judges and draws a log.jsonl.gz again
  --help         this

Ends with 1 on a violation, and, when it ran with all faults for three minutes or longer, where
something that faults do was not seen at all; with 2 when nothing could be played or judged. Ctrl-C ends the faults; the run is then
judged all the same.

Faults: ${FAULTS.map(({ kind }) => kind).join(', ')}.`;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

function chosen(only: string | undefined): readonly Fault[] {
  if (only === undefined) return FAULTS;
  const kinds = only.split(',').filter(Boolean);
  const unknown = kinds.filter((kind) => !FAULTS.some((fault) => fault.kind === kind));
  if (unknown.length > 0 || kinds.length === 0)
    throw new Refusal(`no such fault: ${unknown.join(', ')}; there are ${FAULTS.map(({ kind }) => kind).join(', ')}`);
  return FAULTS.filter(({ kind }) => kinds.includes(kind));
}

const isPossible = ({ needs }: Fault, missing: ReadonlyMap<Tool, string>): boolean =>
  needs.every((tool) => !missing.has(tool));

/** Those that this machine can play; the others are told in words. */
function possible(faults: readonly Fault[], missing: ReadonlyMap<Tool, string>, requireAll: boolean): readonly Fault[] {
  for (const { kind, needs } of faults.filter((fault) => !isPossible(fault, missing))) {
    const why = needs.flatMap((tool) => missing.get(tool) ?? []).join('; ');
    if (requireAll) throw new Refusal(`${kind} cannot be played here: ${why}`);
    say(`left out: ${kind}, since ${why}`);
  }
  return faults.filter((fault) => isPossible(fault, missing));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '2' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string', default: 'build/chaos' },
      only: { type: 'string' },
      'require-all': { type: 'boolean', default: process.env['LEASEHOLD_SKIP_NOTHING'] === '1' },
      judge: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const out = resolve(root, values.out);
  if (values.help) {
    console.log(HELP);
    return;
  }
  if (values.judge !== undefined) {
    openOut(out);
    conclude(await readKept(values.judge), out);
    return;
  }
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0 && Number.isFinite(minutes)))
    throw new Refusal(`--minutes is ${values.minutes}; it is a number above 0`);
  if (!Number.isSafeInteger(seed) || values.seed.trim() === '')
    throw new Refusal(`--seed is ${values.seed}; it is a whole number`);
  const missing = missingTools();
  const faults = possible(chosen(values.only), missing, values['require-all']);
  openOut(out);
  const interrupted = interruptions();
  const commit = presentCommit();
  const leftOut = FAULTS.filter((fault) => !isPossible(fault, missing)).map(({ kind }) => kind);
  const began = performance.now();
  const ms = minutes * 60_000;
  const played = await play({ seed, ms, faults, missing, signal: interrupted.signal, progress: say });
  const only = values.only === undefined ? '' : ` --only ${values.only}`;
  const command = `npm run chaos -- --minutes ${minutes} --seed ${seed}${only}`;
  const kept = { run: runOf(played, { seed, command, commit, leftOut }), found: played.found };
  await keep(join(out, 'log.jsonl.gz'), kept);
  writeFileSync(join(out, 'coordinator.log'), played.coordinatorSaid);
  conclude(kept, out, values.only === undefined ? { faults, ranMs: Math.min(ms, performance.now() - began) } : null);
}

/** One Ctrl-C may come twice: from the terminal and from npm. */
const SAME_MS = 500;

/** The first Ctrl-C ends the faults, the second one everything. */
function interruptions(): AbortController {
  const controller = new AbortController();
  let first = Infinity;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (performance.now() > first + SAME_MS) process.exit(130);
      if (controller.signal.aborted) return;
      first = performance.now();
      say('no more faults; once more ends it without a verdict');
      controller.abort();
    });
  return controller;
}

interface Demands {
  readonly faults: readonly Fault[];
  readonly ranMs: number;
}

function conclude({ run, found }: KeptRun, out: string, demands: Demands | null = null): void {
  const judged = judgeRun(run);
  const verdict = { ...judged, violations: [...judged.violations, ...found] };
  writeReport(run, verdict, out);
  for (const [what, count] of Object.entries(verdict.counts)) console.log(`${String(count).padStart(8)}  ${what}`);
  const lacking = demands === null ? [] : missed(run, verdict, demands.faults, demands.ranMs);
  for (const line of lacking) console.log(`NOT SHOWN ${line}`);
  for (const line of verdict.violations.slice(0, 50)) console.log(`VIOLATION ${line}`);
  const all = verdict.violations.length;
  console.log(
    `${run.entries.length} entries, ${run.faults.length} faults, ${all} violations; ${relative(root, out)}/report.md`,
  );
  process.exitCode = all + lacking.length === 0 ? 0 : 1;
}

await refusing(main).catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
