/** Plays seeds of the simulated world (test/support/sim) and says what they contained and what was found. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { MUTANTS } from '../test/support/sim/mutants/mutants.ts';
import type { Mutant } from '../test/support/sim/mutants/registry.ts';
import { huntAll } from './support/sim-mutants.ts';
import { playMany } from './support/sim-run.ts';
import { oneSeed } from './support/sim-seed.ts';
import { wholeOf } from './support/whole.ts';

const HELP = `npm run sim -- [--seeds N] [--from F] [--twice] [--workers K] [--page]
npm run sim -- --seed S [--mutant NAME]
npm run sim -- --mutant NAME [--seeds N] [--from F]
npm run sim -- --mutants

Plays the product's own cores (lease table, sessions, recovery, client machines)
over simulated clocks, network, disk and hosts. docs/SIMULATION.md says how.

  --seeds N    how many seeds (1,000)
  --from F     the first one (1)
  --twice      each seed runs twice, and both have to be the same to the byte
  --page       writes docs/SIMULATION-RUN.md: what this run was, and all that it contained
  --workers K  threads (as many as there are cores)
  --seed S     plays this seed alone and prints what happened in it,
               and where something is wrong the same with as few faults as show it
  --mutant N   plants this bug in the product's code and plays until it is found
  --mutants    the same with every bug, and a table of which checker found which
  --help       this

Progress goes to standard error, the report to standard output. Ends with 1 where
a checker finds something, and where the seeds did not contain all of what they
should: a loss, a restart, a contested grant, a resumption, an undone grant, ...;
where a cell of the state tables was visited that is said to be out of reach; and,
from 20,000 seeds on, where one was not visited and nobody says why.`;

function main(): boolean | Promise<boolean> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      mutant: { type: 'string' },
      mutants: { type: 'boolean', default: false },
      twice: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
      workers: { type: 'string', default: String(availableParallelism()) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return true;
  }
  const [from, seeds, workers] = [
    wholeOf('from', values.from),
    wholeOf('seeds', values.seeds ?? '1000'),
    wholeOf('workers', values.workers),
  ];
  const mutants = chosenBy(values);
  if (values.seed !== undefined)
    return oneSeed(
      wholeOf('seed', values.seed),
      mutants.flatMap(({ patches }) => patches),
    );
  if (mutants.length > 0) return huntAll(mutants, { from, workers, seeds: values.seeds === undefined ? null : seeds });
  return playMany({ from, seeds, workers, twice: values.twice, page: values.page });
}

function chosenBy({ mutant, mutants }: { mutant?: string | undefined; mutants: boolean }): readonly Mutant[] {
  const chosen = MUTANTS.filter(({ name }) => mutants || name === mutant);
  if (chosen.length === 0 && mutant !== undefined)
    throw new Error(`no bug "${mutant}"; there are ${MUTANTS.map(({ name }) => name).join(', ')}`);
  return chosen;
}

process.exitCode = (await main()) ? 0 : 1;
