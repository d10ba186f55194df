import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../chaos/faults.ts';
import { planOf } from '../../chaos/plan.ts';
import { keep, readKept } from '../../chaos/run-file.ts';

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

test('a run that was kept is read again as it was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-kept-'));
  try {
    const kept = {
      run: {
        seed: 1,
        command: 'npm run chaos',
        commit: 'c0ffee',
        date: '2026-01-01T00:00:00.000Z',
        machine: 'one',
        from: 12_345_678_901_234_567_890n,
        to: 12_345_678_901_234_567_899n,
        clients: ['a'],
        names: ['n'],
        faults: [{ kind: 'reset', victim: 'a', from: 12_345_678_901_234_567_891n, to: 12_345_678_901_234_567_892n }],
        entries: [
          { at: 12_345_678_901_234_567_893n, client: 'a', event: 'held' as const, key: 'k', name: 'n', token: 5 },
          { at: 12_345_678_901_234_567_894n, client: 'a', event: 'killed' as const },
        ],
      },
      found: ['something'],
    };
    const file = join(folder, 'log.jsonl.gz');
    await keep(file, kept);
    expect(await readKept(file)).toEqual(kept);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
