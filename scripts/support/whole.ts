/** What was given for `--name`, which has to be a whole number. */
export function wholeOf(name: string, given: string): number {
  const value = Number(given);
  if (!Number.isSafeInteger(value) || value < 0 || given.trim() === '')
    throw new Error(`--${name} is a whole number from 0, not "${given}"`);
  return value;
}
