import { asTest } from '../../test/support/sim/shrink.ts';
import { shrinkSeed, tellSeed } from '../../test/support/sim/pool.ts';
import type { Patch } from '../../test/support/sim/mutants/patch.ts';

/** Plays one seed and prints what happened in it. False where a checker found something. */
export async function oneSeed(seed: number, patches: readonly Patch[]): Promise<boolean> {
  const lines = await tellSeed(seed, patches);
  for (const line of lines) console.log(line);
  if (lines.at(-1) === 'no violation') return true;
  await printShrunk(seed, patches);
  return false;
}

/** The same in as few faults as still show it. */
export async function printShrunk(seed: number, patches: readonly Patch[]): Promise<void> {
  const shrunk = await shrinkSeed(seed, patches);
  console.log(
    `\nseed ${seed}, made smaller in ${shrunk.plays} plays; for test/sim/found.test.ts:\n\n${asTest(shrunk)}\n`,
  );
}
