import { hunt, isAsSaid, type HuntOptions } from '../../test/support/sim/mutants/hunt.ts';
import type { Mutant } from '../../test/support/sim/mutants/registry.ts';

/** One after the other, each until it is found; prints a table. False where one is not found, or by another checker. */
export async function huntAll(mutants: readonly Mutant[], options: HuntOptions): Promise<boolean> {
  console.log('bug | rules | found by | seed | seeds played | seconds');
  let asSaid = 0;
  for (const mutant of mutants) {
    const hunted = await hunt(mutant, options);
    const { found, seeds, seconds } = hunted;
    const finders = found === null ? 'NOBODY' : [...new Set(found.problems.map(({ by }) => by))].join(', ');
    const other = isAsSaid(hunted) ? '' : ` (the registry says ${mutant.by})`;
    asSaid += isAsSaid(hunted) ? 1 : 0;
    console.log(
      `${mutant.name} | ${mutant.rules} | ${finders}${other} | ${found?.seed ?? '-'} | ${seeds} | ${seconds.toFixed(1)}`,
    );
    for (const { by, text } of found?.problems.slice(0, 1) ?? []) console.log(`    ${by}: ${text.slice(0, 200)}`);
  }
  console.log(`${asSaid} of ${mutants.length} found by the checker that the registry names`);
  return asSaid === mutants.length;
}
