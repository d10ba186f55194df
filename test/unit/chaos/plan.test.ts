import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../chaos/faults.ts';
import { planOf } from '../../chaos/plan.ts';

const stepsOf = (seed: number, count: number): readonly unknown[] => {
  const plan = planOf(seed, FAULTS);
  return Array.from({ length: count }, () => plan.next().value);
};

const kindsOf = (seed: number, count: number): readonly string[] => {
  const plan = planOf(seed, FAULTS);
  const kinds: string[] = [];
  while (kinds.length < count) kinds.push(...plan.next().value.faults.map(({ fault }) => fault.kind));
  return kinds.slice(0, count);
};

describe('a plan of faults', () => {
  test('is the same for the same seed, and another one for another', () => {
    expect(stepsOf(7, 200)).toEqual(stepsOf(7, 200));
    expect(stepsOf(7, 20)).not.toEqual(stepsOf(8, 20));
  });

  test('has every kind before it starts over', () => {
    const round = FAULTS.reduce((sum, { times = 1 }) => sum + times, 0);
    for (let seed = 1; seed <= 50; seed += 1) expect(new Set(kindsOf(seed, round)).size).toBe(FAULTS.length);
  });

  test('never breaks one thing in two ways at once', () => {
    const plan = planOf(3, FAULTS);
    let twice = 0;
    for (let step = 0; step < 500; step += 1) {
      const groups = plan.next().value.faults.map(({ fault }) => fault.group);
      if (groups.length === 2) twice += 1;
      expect(new Set(groups).size).toBe(groups.length);
    }
    expect(twice).toBeGreaterThan(50);
  });
});
