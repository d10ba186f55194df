import { Refusal } from './refusal.ts';

/** What was given for `--name`, which has to be a whole number, from `least` on. */
export function wholeOf(name: string, given: string, least = 0): number {
  const value = Number(given);
  if (!/^\d+$/.test(given) || !Number.isSafeInteger(value) || value < least)
    throw new Refusal(`--${name} is a whole number from ${least}, not "${given}"`);
  return value;
}
