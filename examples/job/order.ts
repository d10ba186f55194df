/** What a worker is told on its command line. */
export interface Order {
  readonly label: string;
  readonly file: string;
  readonly url: string;
  readonly pauseMs: number;
}

const PAUSE_MS_MAX = 60_000;
const USAGE = `usage: npx node examples/job/job.ts [LABEL [FILE [URL [PAUSE_MS]]]]

  LABEL     what this worker is called          (worker)
  FILE      the table with the results          (build/job.db)
  URL       where the coordinator is            (ws://127.0.0.1:7400)
  PAUSE_MS  how long an item takes, 0 to ${PAUSE_MS_MAX}  (100)`;

/** The order in `args`; what is no order ends the process with words about it, and `--help` with the usage. */
export function orderIn(args: readonly string[]): Order {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(USAGE);
    process.exit(0);
  }
  const [label = 'worker', file = 'build/job.db', url = 'ws://127.0.0.1:7400', pause = '100', ...rest] = args;
  const pauseMs = /^\d{1,5}$/.test(pause) ? Number(pause) : Number.NaN;
  const option = args.find((arg) => arg.startsWith('-'));
  if (option !== undefined) refuse(`"${option}" is not known`);
  if (rest.length > 0) refuse(`"${rest.join(' ')}" is too much`);
  if (!(pauseMs <= PAUSE_MS_MAX)) refuse(`PAUSE_MS is "${pause}"; it is a whole number from 0 to ${PAUSE_MS_MAX}`);
  return { label, file, url, pauseMs };
}

function refuse(problem: string): never {
  console.error(`${problem}; --help tells more`);
  process.exit(1);
}
