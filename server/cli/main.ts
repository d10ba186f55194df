import { CommanderError } from 'commander';
import { configText } from './print-config.ts';
import { EXIT } from './exit-codes.ts';
import { processIo, type Io } from './io.ts';
import { makeProgram } from './program.ts';
import { resolveSettings } from './resolve-settings.ts';
import { misspelt } from './misspelt.ts';
import { serve } from './serve.ts';
import { UsageError } from './usage-error.ts';

/** The command `leasehold`; resolves with its exit code. Importing this file starts nothing. */
export async function main(args: readonly string[], io: Io = processIo): Promise<number> {
  let work: Promise<number> = Promise.resolve(EXIT.ok);
  const program = makeProgram((command, { printConfig, ...given }) => {
    for (const warning of misspelt(io.env)) io.err(`leasehold: ${warning}\n`);
    const settings = resolveSettings(command, given, io.env);
    if (printConfig === true) io.out(`${configText(settings)}\n`);
    else work = serve(command, settings, io);
  }, io);
  try {
    if (args.length === 0) {
      io.err(program.helpInformation());
      return EXIT.usage;
    }
    program.parse(args, { from: 'user' });
    return await work;
  } catch (error) {
    // Help and version come this way too, with exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (error instanceof UsageError) {
      io.err(`leasehold: ${error.message}.\n`);
      return EXIT.usage;
    }
    io.err(`leasehold: a defect: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return EXIT.internal;
  }
}
