import { describe, expect, test } from 'vitest';
import { Right } from '../../../examples/tabs/right.ts';
import { Chronicle } from '../../../examples/tabs/together/chronicle.ts';
import { Diary } from '../../../examples/tabs/together/diary.ts';
import { happeningOf, type Happening } from '../../../examples/tabs/together/happenings.ts';
import { presenceOf } from '../../../examples/tabs/together/presence.ts';

const WHATS: readonly object[] = [
  { kind: 'opened' },
  { kind: 'closed' },
  { kind: 'led', token: 7 },
  { kind: 'ended', token: 7, why: 'released', knownAtMs: 3 },
  { kind: 'stopped', how: 'frozen' },
  { kind: 'went-on', how: 'cut' },
  { kind: 'heard', token: null, by: '', sinceMs: 2 },
];

describe('what the tabs of examples/tabs tell one another', () => {
  test('each kind of happening comes through whole, and anything else not at all', () => {
    const frame = { tab: 'a', label: 'Ash', number: 1, atMs: 5 };
    for (const what of WHATS) {
      const sent = { ...frame, ...what };
      expect(happeningOf(structuredClone(sent))).toEqual(sent);
      for (const key of Object.keys(sent)) {
        if (key === 'token' && Reflect.get(sent, 'kind') === 'heard') continue;
        expect(happeningOf({ ...sent, [key]: undefined }), `without ${key}`).toBeNull();
        expect(happeningOf({ ...sent, [key]: {} }), `with another ${key}`).toBeNull();
      }
    }
    for (const value of [null, 7, 'x', [], { kind: 'x', ...frame }]) expect(happeningOf(value)).toBeNull();
  });

  test('a sign of life is looked at in the same way', () => {
    const sent = { tab: 'a', label: 'Ash', part: 'follows', position: 0, isInSight: true, atMs: 5 };
    expect(presenceOf(sent)).toEqual(sent);
    expect(presenceOf({ ...sent, part: 'reigns' })).toBeNull();
    expect(presenceOf({ ...sent, atMs: Number.NaN })).toBeNull();
  });

  test('what comes twice is known already; what comes late goes to its place in time', () => {
    const chronicle = new Chronicle();
    const told: Happening[] = [];
    const diary = new Diary('Ash', (one) => told.push(one));
    diary.write({ kind: 'led', token: 7 }, 200);
    diary.write({ kind: 'ended', token: 7, why: 'released', knownAtMs: 100 }, 100);
    const [, later, earlier] = told;
    if (later === undefined || earlier === undefined) throw new Error('the diary has told nothing');
    expect(chronicle.add([later])).toEqual([later]);
    expect(chronicle.add([earlier, later])).toEqual([earlier]);
    expect(chronicle.list).toEqual([earlier, later]);
    const { list } = chronicle;
    chronicle.add([later]);
    expect(chronicle.list, 'the same list while nothing is new').toBe(list);
  });

  test('a tab writes what it heard of a leader once for each token', () => {
    const told: Happening[] = [];
    const diary = new Diary('Fern', (one) => told.push(one));
    const leader = { label: 'Ash', fencingToken: 7, heldForMs: 1_000 };
    for (const view of [null, leader, { ...leader, heldForMs: 2_000 }, null, null, { ...leader, fencingToken: 8 }])
      diary.heard(view);
    const tokens = told.flatMap((one) => (one.kind === 'heard' ? [one.token] : []));
    expect(tokens).toEqual([7, null, 8]);
    const [first] = told.filter(({ kind }) => kind === 'heard');
    expect(first).toMatchObject({ by: 'Ash', sinceMs: expect.closeTo((first?.atMs ?? 0) - 1_000, -2) });
  });

  test('the end of a lease is when it is told, or when its time was over where that is told late', () => {
    const right = new Right();
    const startMs = Date.now();
    right.look({ remainingMs: 3_600 });
    right.look({ remainingMs: 0 });
    expect(right.endedAtMs(startMs + 1_000), 'stepped down').toBe(startMs + 1_000);
    expect(right.endedAtMs(startMs + 10_000) - startMs, 'stood still').toBeGreaterThanOrEqual(3_600);
    expect(right.endedAtMs(startMs + 10_000) - startMs, 'stood still').toBeLessThan(3_700);
  });
});
