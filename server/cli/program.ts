import { Command as Program, InvalidArgumentError, Option } from 'commander';
import { version } from '../net/version.ts';
import {
  CONFIG,
  DEFAULTS,
  INSECURE,
  TEXT_SETTINGS,
  type Command,
  type TextSetting,
  type Settings,
} from './settings.ts';
import type { Io } from './io.ts';
import type { Given } from './resolve-settings.ts';
import { durationText } from './duration.ts';
import { UsageError } from './usage-error.ts';

export type Run = (command: Command, given: Given & { readonly printConfig?: true }) => void;

const AFTER_HELP = `
Every flag has a variable (LEASEHOLD_PORT for --port), and every one a place in a --config file. A flag wins over
its variable, that over the file. SIGTERM drains and ends within 5 seconds; a second one ends at once.

Exit codes: 0 stopped as asked, 1 could not start (port or data file), 64 usage, 70 a defect.`;

const AFTER_ROOT_HELP = `
Begin with:
  leasehold dev                          a coordinator in memory, for this machine
  leasehold serve --data leases.db       one that keeps its leases over restarts
Then, in a program:
  import { connect } from 'leasehold';
  await connect('ws://127.0.0.1:7400').run('nightly-report', async (lease) => { ... });`;

/** The command line as commander knows it; `run` is called with what was given, once it is in range. */
export function makeProgram(run: Run, write: Pick<Io, 'out' | 'err'>): Program {
  const program = new Program('leasehold')
    .description('One holder at a time, for browser tabs, edge workers and Node processes: the coordinator.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', AFTER_ROOT_HELP)
    .showHelpAfterError('(see leasehold --help)')
    .exitOverride()
    .configureOutput({
      writeOut: write.out,
      writeErr: write.err,
      outputError: (text, out) => out(text.replace(/^error: /, 'leasehold: ')),
    });
  add(program, 'serve', 'run a coordinator that keeps its leases in a file', run);
  add(program, 'dev', 'run a coordinator for this machine: in memory, loopback only, any loopback page', run);
  return program;
}

function add(program: Program, command: Command, description: string, run: Run): void {
  const sub = program
    .command(command)
    .description(description)
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', AFTER_HELP);
  sub.showHelpAfterError(`(see leasehold ${command} --help)`);
  for (const [key, setting] of Object.entries(TEXT_SETTINGS)) {
    // The table is total over these keys.
    sub.addOption(optionOf(command, key as keyof typeof TEXT_SETTINGS, setting));
  }
  sub.addOption(new Option(INSECURE.flag, `${INSECURE.help} (env: ${INSECURE.env})`));
  sub.addOption(
    new Option(CONFIG.flag, `${CONFIG.help} (env: ${CONFIG.env})`).argParser((text: string, before: unknown) => {
      refuseSecond(before);
      return text;
    }),
  );
  sub.addOption(new Option('--print-config', 'print every setting and limit in effect, as such a file, and end'));
  sub.action((given: Record<string, unknown>) => run(command, renamed(given)));
}

function optionOf(command: Command, key: keyof typeof TEXT_SETTINGS, setting: TextSetting<keyof Settings>): Option {
  const standard = DEFAULTS[command][key];
  const shown = Array.isArray(standard)
    ? 'none'
    : key === 'quietMs'
      ? durationText(DEFAULTS[command].quietMs)
      : String(standard ?? 'in memory');
  return new Option(setting.flag, `${setting.help} (default: ${shown}, env: ${setting.env})`).argParser(
    (text: string, before: unknown) => {
      refuseSecond(setting.repeats === true ? undefined : before);
      try {
        const read = setting.read(text);
        // A flag that repeats adds to what came before it.
        return setting.repeats === true ? listOf(before).concat(listOf(read)) : read;
      } catch (error) {
        if (error instanceof UsageError) throw new InvalidArgumentError(`${error.message}.`);
        throw error;
      }
    },
  );
}

/** Which of two was meant, nobody can tell. */
function refuseSecond(before: unknown): void {
  if (before !== undefined) throw new InvalidArgumentError('It is given more than once; give it once.');
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Flags are named for people, settings with their unit; commander made each value by its setting's reader. */
function renamed(given: Record<string, unknown>): Given & { readonly printConfig?: true } {
  const { origin, allowHost, quiet, ...others } = given;
  return {
    ...others,
    ...(origin === undefined ? {} : { origins: origin }),
    ...(allowHost === undefined ? {} : { allowHosts: allowHost }),
    ...(quiet === undefined ? {} : { quietMs: quiet }),
  } as Given;
}
