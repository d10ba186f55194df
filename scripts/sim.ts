/** Plays seeds of the simulated world (test/support/sim) and says what they contained and what was found. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { MUTANTS } from '../test/support/sim/mutants/mutants.ts';
import type { Mutant } from '../test/support/sim/mutants/registry.ts';
import { Refusal, refusing } from './support/refusal.ts';
import { onInterrupt } from './support/sim-interrupt.ts';
import { huntAll } from './support/sim-mutants.ts';
import { playMany } from './support/sim-run.ts';
import { oneSeed } from './support/sim-seed.ts';
import { wholeOf } from './support/whole.ts';

const HELP = `npm run sim -- [--seeds N] [--from F] [--twice] [--workers K] [--page]
npm run sim -- --seed S [--mutant NAME]
npm run sim -- --mutant NAME [--seeds N] [--from F]
npm run sim -- --mutants [--seeds N] [--from F]

Plays the product's own cores (lease table, sessions, recovery, client machines)
over simulated clocks, network, disk and hosts. docs/SIMULATION.md says how.

  --seeds N    how many seeds (1,000)
  --from F     the first one (1)
  --twice      each seed runs twice in one thread, and every message, event, line and count
               has to be the same to the byte; it takes twice the time
  --page       writes docs/SIMULATION-RUN.md: what this run was, and all that it contained
  --workers K  threads (as many as there are cores)
  --seed S     plays this seed alone and prints what happened in it,
               and where something is wrong the same with as few faults as show it
  --mutant N   plants this bug in the product's code and plays until it is found
  --mutants    the same with every bug, and a table of which checker found which
  --help       this

Progress goes to standard error, the report to standard output. The last line says
what it came to. Ends with 1, and FAILED, where a checker finds something; where the
seeds did not contain all of what they should (a loss, a restart, a contested grant,
a resumption, an undone grant, ...), as a few hundred do not always; where a cell of
the state tables was visited that is said to be out of reach; and, from 20,000 seeds
on, where one was not visited and nobody says why. Ends with 2 where a flag is wrong,
and with 130 at Ctrl-C, which prints what was played so far.`;

const FLAGS = {
  seeds: { type: 'string' },
  from: { type: 'string' },
  seed: { type: 'string' },
  mutant: { type: 'string' },
  mutants: { type: 'boolean' },
  twice: { type: 'boolean' },
  page: { type: 'boolean' },
  workers: { type: 'string' },
  help: { type: 'boolean' },
} as const;

type Flag = keyof typeof FLAGS;

/** What a flag leaves no room for: it would be given and do nothing. */
const EXCLUDES: Partial<Record<Flag, readonly Flag[]>> = {
  seed: ['seeds', 'from', 'mutants', 'twice', 'page', 'workers'],
  mutants: ['mutant', 'twice', 'page'],
  mutant: ['twice', 'page'],
};

async function main(): Promise<void> {
  const { values } = parseArgs({ options: FLAGS });
  if (values.help === true) {
    console.log(HELP);
    return;
  }
  refuseContradictions(new Set(Object.keys(values)));
  const from = wholeOf('from', values.from ?? '1');
  const seeds = wholeOf('seeds', values.seeds ?? '1000', 1);
  const workers = wholeOf('workers', values.workers ?? String(availableParallelism()), 1);
  if (values.seed !== undefined || values.mutant !== undefined || values.mutants === true)
    onInterrupt(() => console.log('INTERRUPTED'));
  const mutants = chosenBy(values.mutant, values.mutants === true);
  if (values.seed !== undefined) {
    const patches = mutants.flatMap((mutant) => mutant.patches);
    endWith(await oneSeed(wholeOf('seed', values.seed), patches));
  } else if (mutants.length > 0) {
    endWith(await huntAll(mutants, { from, workers, seeds: values.seeds === undefined ? null : seeds }));
  } else {
    const [twice, page] = [values.twice === true, values.page === true];
    endWith(await playMany({ from, seeds, workers, twice, page }));
  }
}

function refuseContradictions(given: ReadonlySet<string>): void {
  for (const [flag, excluded] of Object.entries(EXCLUDES)) {
    const other = given.has(flag) ? excluded.find((one) => given.has(one)) : undefined;
    if (other !== undefined) throw new Refusal(`--${flag} and --${other} do not go together; --help says what does`);
  }
}

function chosenBy(mutant: string | undefined, all: boolean): readonly Mutant[] {
  const chosen = MUTANTS.filter(({ name }) => all || name === mutant);
  if (chosen.length === 0 && mutant !== undefined)
    throw new Refusal(`no bug "${mutant}"; there are ${MUTANTS.map(({ name }) => name).join(', ')}`);
  return chosen;
}

function endWith(isGood: boolean): void {
  process.exitCode = isGood ? 0 : 1;
}

await refusing(main);
