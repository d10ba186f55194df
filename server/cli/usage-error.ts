/** What was asked for cannot be: one line on stderr, exit code 64. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
