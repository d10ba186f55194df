/** One line of a script's stdout, with the clock that all processes of a host share. */
export function say(what: string, more: Readonly<Record<string, unknown>> = {}): void {
  process.stdout.write(`${JSON.stringify({ at: String(process.hrtime.bigint()), what, ...more })}\n`);
}

/** What the harness gives each script. */
export const [, , url = '', name = ''] = process.argv;
