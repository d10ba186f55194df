import { describe, expect, test } from 'vitest';
import { CONFIGURATIONS, MUTANTS, flagsOf } from './configurations.ts';
import { check, missing, verdictOf, type Verdict } from './spin.ts';

/** `LEASEHOLD_MODEL_STORIES=1` prints the counter-examples and the counts of states. */
const TELLS = process.env['LEASEHOLD_MODEL_STORIES'] === '1';

function tell(title: string, { states, depth, memoryMb, story }: Verdict): void {
  if (!TELLS) return;
  process.stdout.write(
    [`${title}: ${states} states, depth ${depth}, ${Math.round(memoryMb)} MB`, ...story, ''].join('\n'),
  );
}

const absent = missing.length > 0;
if (absent) process.stdout.write(`no ${missing.join(', no ')}: the model is not checked; npm run setup installs it\n`);

// Without spin there is no search; `npm run setup` installs it.
describe.skipIf(absent)('the model, every state of it', () => {
  test.for(CONFIGURATIONS)('$claims hold with $has', ({ name, flags, statesMin }) => {
    const verdict = check(flags, 'exhaust');
    tell(name, verdict);
    expect(verdict, verdict.output).toMatchObject({ errors: 0, exhausted: true, unreached: [] });
    expect(verdict.states).toBeGreaterThan(statesMin);
  });
});

// The same.
describe.skipIf(absent)('the model without one rule', () => {
  test.for(MUTANTS)('$breaks is seen broken where $how', (mutant) => {
    const verdict = check(flagsOf(mutant), 'search');
    tell(`${mutant.of}, ${mutant.flag}`, verdict);
    expect(verdict, verdict.output).toMatchObject({ errors: 1, broken: mutant.breaks });
    expect(verdict.story.length).toBeGreaterThan(5);
  });
});

describe('what spin says', () => {
  const CLEAN =
    'Full statespace search for:\nState-vector 92 byte, depth reached 44, errors: 0\n    17 states, stored\n';

  test('a search to the end is exhausted', () => {
    expect(verdictOf(CLEAN)).toMatchObject({ exhausted: true, errors: 0, states: 17, depth: 44 });
  });

  test.for([
    'error: max search depth too small',
    'Warning: Search not completed',
    'pan: reached -DMEMLIM bound\nout of memory',
  ])('a search that ends with "%s" is not', (said) => {
    expect(verdictOf(`${said}\n${CLEAN}`).exhausted).toBe(false);
  });

  test('one that stores no full states is not', () => {
    expect(verdictOf(CLEAN.replace('Full', 'Bit')).exhausted).toBe(false);
  });
});
