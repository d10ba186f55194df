/** Proves a coordinator, or a client, against docs/PROTOCOL.md: docs/CONFORMANCE.md says how. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { clientRun, CLIENT_FOLDER } from '../test/conformance/client/run.ts';
import { scenariosIn } from '../test/conformance/client/scenario.ts';
import { ownCoordinator } from '../test/conformance/own.ts';
import { noUrl, silenceAt } from '../test/conformance/first-hello.ts';
import type { Outcome } from '../test/conformance/play.ts';
import { COORDINATOR_FOLDER, run, tableOf } from '../test/conformance/run.ts';
import { scriptsIn } from '../test/conformance/script.ts';
import { Refusal, refusing } from './support/refusal.ts';

const HELP = `npm run conformance -- [--url ws://HOST:PORT] [--filter TEXT]
npm run conformance -- --client ['COMMAND'] [--filter TEXT]

Without --client: plays scripts of raw frames at the coordinator of that URL, under names of
their own. Without --url at one that is built here and started for it.

  --url URL      the coordinator: ws:// or wss://, without /v1/socket
  --all          also the scripts that disturb others (a quiet time, a session's limit);
                 without --url they are played anyway

With --client: a scripted coordinator delays, loses, drops, restarts and tells strange windows,
and judges the lines that the command prints. Without a command the client of this repository.

  --client CMD   is run by the shell, once for each scenario, with LEASEHOLD_URL, LEASEHOLD_NAME
                 and LEASEHOLD_TTL_MS in its environment

Both:
  --filter TEXT  only what has this text in its file, its rule or its ids
  --jobs N       how many at once (default 8, with --client 4)
  --list         what there is; plays nothing
  --help         this

Ends with 1 when a rule is broken, with 2 when nothing could be played.`;

interface Asked {
  readonly filter: string;
  readonly jobs: number | null;
  readonly list: boolean;
}

interface Rule {
  readonly file: string;
  readonly rule: string;
  readonly proves: readonly string[];
}

function chosen<T extends Rule>(rules: readonly T[], { filter, list }: Asked): readonly T[] {
  const found = rules.filter(({ file, rule, proves }) => `${file} ${rule} ${proves.join(' ')} `.includes(filter));
  if (found.length === 0) throw new Refusal(`nothing has "${filter}" in its file, its rule or its ids`);
  if (!list) return found;
  for (const { file, rule, proves } of found) console.log(`${file}  ${rule}  (${proves.join(' ')})`);
  return [];
}

let told = 0;
function tell({ problem, rule, tookMs }: Outcome): void {
  told += 1;
  console.log(
    `${String(told).padStart(4)}  ${problem === null ? 'ok    ' : 'FAILED'}  ${(tookMs / 1_000).toFixed(1).padStart(5)} s  ${rule}`,
  );
}

/** Where nobody is, every rule would be broken. */
async function refuseSilence(url: string): Promise<void> {
  const problem = noUrl(url);
  if (problem !== null) throw new Refusal(`--url ${url} is no ws://HOST:PORT and no wss://HOST:PORT: ${problem}`);
  const silence = await silenceAt(url);
  if (silence !== null) throw new Refusal(`no coordinator answers a hello at ${url}: ${silence}`);
}

async function coordinatorHalf(url: string | undefined, all: boolean, asked: Asked): Promise<readonly Outcome[]> {
  const scripts = chosen(scriptsIn(COORDINATOR_FOLDER), asked);
  if (scripts.length === 0) return [];
  if (url !== undefined) await refuseSilence(url);
  const own = url === undefined ? await ownCoordinator(join(import.meta.dirname, '../server/bin/leasehold.js')) : null;
  try {
    const at = own?.url ?? url ?? '';
    return await run({ url: at, scripts, jobs: asked.jobs ?? 8, disturbing: all || own !== null, told: tell });
  } finally {
    await own?.stop();
  }
}

async function clientHalf(command: string, asked: Asked): Promise<readonly Outcome[]> {
  const scenarios = chosen(scenariosIn(CLIENT_FOLDER), asked);
  return clientRun({
    command: command === '' ? `"${process.execPath}" "${join(CLIENT_FOLDER, 'child.ts')}"` : command,
    scenarios,
    jobs: asked.jobs ?? 4,
    told: tell,
  });
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      url: { type: 'string' },
      all: { type: 'boolean', default: false },
      client: { type: 'boolean', default: false },
      filter: { type: 'string', default: '' },
      jobs: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const [command = '', ...others] = positionals;
  if (others.length > 0 || (command !== '' && !values.client)) throw new Refusal(`one command, after --client; --help`);
  if (values.client && values.url !== undefined)
    throw new Refusal('--url is of a coordinator, and --client plays one: not both');
  const jobs = values.jobs === undefined ? null : Number(values.jobs);
  if (jobs !== null && !(Number.isSafeInteger(jobs) && jobs >= 1))
    throw new Refusal(`--jobs is ${values.jobs}; it is a whole number from 1`);
  const asked: Asked = { filter: values.filter, jobs, list: values.list };
  const outcomes = values.client
    ? await clientHalf(command, asked)
    : await coordinatorHalf(values.url?.replace(/\/$/, ''), values.all, asked);
  if (outcomes.length === 0) return;
  console.log(`\n${tableOf(outcomes)}`);
  if (outcomes.some(({ problem }) => problem !== null)) process.exitCode = 1;
}

await refusing(main);
