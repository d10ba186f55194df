import { describe, expect, test } from 'vitest';
import { heldBackMs } from '../../../../client/core/held-back.ts';
import { durationMs } from '../../../../shared/time.ts';
import { scripted, type Scripted } from '../../../support/sim/scripted.ts';

const OUTAGE_MS = 60_000;
const HOUR_MS = 3_600_000;
const SHORT = { connectTimeoutMs: durationMs(500), maxBackoffMs: durationMs(500) };

/** What Chromium does: of failures, successes and dials under way at that moment, with the worst of its chances. */
const heldMs = (failed: number, opened: number, underWay: number): number =>
  (5_000 * 2 ** Math.min(16, underWay + Math.floor(failed / (opened + 1)))) / 65_536;

/** The next dial, which nobody answers: when it began, and when it was given up. */
function unanswered(world: Scripted): { readonly from: number; readonly to: number } {
  world.until(() => world.core.status === 'connecting');
  const from = world.now();
  const asked = world.of('ask-credential').at(-1);
  if (asked !== undefined) world.do({ kind: 'credential', dial: asked.dial, credential: undefined });
  world.until(() => world.core.status !== 'connecting');
  return { from, to: world.now() };
}

/** How long after the network has healed a dial goes out, in a page whose renderer process has `others` that dial as it does. */
function goesOutAfterMs(settings: Parameters<typeof scripted>[0], others: number): number {
  const world = scripted(settings);
  world.acquire('n');
  world.open();
  world.drop();
  const healed = world.now() + OUTAGE_MS;
  for (let failed = 0; world.now() < healed + HOUR_MS; failed += 1 + others) {
    const { from, to } = unanswered(world);
    const out = from + heldMs(failed, 1 + others, others);
    if (out >= healed && out < to) return out - healed;
  }
  return Infinity;
}

describe('dials that the browser holds back', () => {
  test.each([0, 3, 16])(
    'S10 a page comes back though each dial is held back, with %i others in its process',
    (others) => {
      expect(goesOutAfterMs({ ...SHORT, holdsDialsBack: true }, others)).toBeLessThan(12_000);
    },
  );

  test('with a time-out alone that is shorter than they are held back none would ever go out', () => {
    expect(goesOutAfterMs({ ...SHORT, holdsDialsBack: false }, 16)).toBe(Infinity);
  });

  test('a time is added as failures add up, at most 5 s', () => {
    expect([0, 4, 8, 11, 12, 1_000].map(heldBackMs)).toEqual([1, 19, 312, 2_500, 5_000, 5_000]);
  });

  test('elsewhere no dial takes longer than `connectTimeoutMs`', () => {
    const world = scripted(SHORT);
    world.acquire('n');
    for (let dial = 0; dial < 20; dial += 1) {
      const { from, to } = unanswered(world);
      expect(to - from).toBe(500);
    }
  });
});
