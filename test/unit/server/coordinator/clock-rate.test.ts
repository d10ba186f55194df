import { describe, expect, test } from 'vitest';
import { clockRate, type ClockSample } from '../../../../server/core/coordinator/clock-rate.ts';
import { listeningMs, wallMs } from '../../../../shared/time.ts';

const WALL = Date.UTC(2027, 0, 1);

/** A reading of a client whose clock runs at `rate`, of a ping sent at `at` and answered after `roundTripMs`. */
function sample(
  at: number,
  rate: number,
  { roundTripMs = 10, up = 0.5, lostMs = 0, wallJumpMs = 0 } = {},
): ClockSample {
  const readAt = at + roundTripMs;
  return {
    clientMs: 77 + (at + roundTripMs * up) * rate,
    sentAt: listeningMs(at - lostMs),
    readAt: listeningMs(readAt - lostMs),
    sentWall: wallMs(WALL + at + wallJumpMs),
    readWall: wallMs(WALL + readAt + wallJumpMs),
  };
}

describe('the rate of a client clock', () => {
  test.each([0.999, 1.001])('R27 a rate of %s is off', (rate) => {
    const found = clockRate(sample(0, rate), sample(120_000, rate));
    expect(found).toMatchObject({ kind: 'off' });
    expect(found.kind === 'off' && Math.abs(found.by - (rate - 1)) < 0.000_2).toBe(true);
  });

  test.each([0.999_6, 1, 1.000_4])('R27 a rate of %s is near enough', (rate) => {
    expect(clockRate(sample(0, rate), sample(3_600_000, rate))).toEqual({ kind: 'nothing' });
  });

  test('under 30 s nothing is concluded', () => {
    expect(clockRate(sample(0, 0.99), sample(29_000, 0.99))).toEqual({ kind: 'nothing' });
    expect(clockRate(sample(0, 0.99), sample(31_000, 0.99))).toMatchObject({ kind: 'off' });
  });

  test('what a slow network explains is not called off', () => {
    const late = { roundTripMs: 400, up: 0.01 };
    const early = { roundTripMs: 400, up: 0.99 };
    expect(clockRate(sample(0, 1, late), sample(30_600, 1, early))).toEqual({ kind: 'nothing' });
    expect(clockRate(sample(0, 1, early), sample(30_600, 1, late))).toEqual({ kind: 'nothing' });
  });

  test('S9 time that the listening clock lost in a stall makes no client fast', () => {
    expect(clockRate(sample(0, 1), sample(60_000, 1, { lostMs: 5_000 }))).toEqual({ kind: 'nothing' });
  });

  test('a wall clock that stepped makes no client slow or fast', () => {
    expect(clockRate(sample(0, 1), sample(60_000, 1, { wallJumpMs: 3_600_000 }))).toEqual({ kind: 'nothing' });
    expect(clockRate(sample(0, 1), sample(60_000, 1, { wallJumpMs: -3_600_000 }))).toEqual({ kind: 'nothing' });
  });

  test('a clock that stood still while its host slept has jumped, which is no rate', () => {
    const asleep = sample(600_000, 1);
    expect(clockRate(sample(0, 1), { ...asleep, clientMs: asleep.clientMs - 300_000 })).toEqual({ kind: 'jumped' });
  });
});
