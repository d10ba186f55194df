/** What was asked cannot be done: told in one line, without a stack, and with an exit code of its own. */
export class Refusal extends Error {}

/** Not 1, which says that something was played and found wrong. */
export const REFUSED = 2;

/** The line that `error` is told in; null: it is no refusal, but a fault of ours, whose stack is wanted. */
export function refusalIn(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const isOfFlags = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
  if (!isOfFlags && !(error instanceof Refusal)) return null;
  // What Node says of flags goes on with advice, in lines of its own.
  const line = error.message.replace(/\. To specify [^]*$/, '').replace(/\s*\n\s*/g, ' ');
  return isOfFlags ? `${line}; --help says what there is` : line;
}

/** A script's `main`: a refusal ends it with one line on standard error. */
export async function refusing(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    const line = refusalIn(error);
    if (line === null) throw error;
    process.stderr.write(`${line}\n`);
    process.exitCode = REFUSED;
  }
}
