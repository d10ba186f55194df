import { describe, expect, test } from 'vitest';
import { leftAsOf, welcomeParts } from '../../../../server/core/coordinator/welcome.ts';
import type { WireHeld } from '../../../../shared/frames.ts';
import { fencingToken, frameNumber, journalId, leaseName, secret, sessionId } from '../../../../shared/ids.ts';
import { NAME_BYTES_MAX, WELCOME_BYTES_MAX } from '../../../../shared/limits.ts';
import { durationMs, listeningMs } from '../../../../shared/time.ts';
import { utf8Bytes } from '../../../../shared/utf8.ts';

const head = {
  frame: frameNumber(1),
  session: sessionId('s'),
  secret: secret('x'),
  resumed: false,
  journal: journalId('j'),
  protocol: 1,
  stateBytesMax: 65_536,
  frameBytesMax: 262_144,
};

const lease = (index: number, name: string): WireHeld => ({
  name: leaseName(name),
  fencingToken: fencingToken(2 ** 52 + index),
  leftMs: durationMs(30_000),
  ttlMs: durationMs(30_000),
  ceilingLeftMs: durationMs(86_400_000),
});

/** Names that JSON makes six times as long. */
const longNames = Array.from({ length: 1_000 }, (_, index) => lease(index, `${index}`.padEnd(NAME_BYTES_MAX, '"')));

describe('welcome', () => {
  test('one part when all goes in it', () => {
    expect(welcomeParts(head, [lease(1, 'a')])).toEqual([
      { type: 'welcome', ...head, held: [lease(1, 'a')], more: false },
    ]);
  });

  test('without a lease there is one part all the same', () => {
    expect(welcomeParts(head, [])).toMatchObject([{ held: [], more: false }]);
  });

  test(`no part has more than ${WELCOME_BYTES_MAX} bytes, and none is much smaller than it could be`, () => {
    const parts = welcomeParts(head, longNames);
    const sizes = parts.map((part) => utf8Bytes(JSON.stringify([part])));
    expect(parts.length).toBeGreaterThan(5);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(WELCOME_BYTES_MAX);
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(WELCOME_BYTES_MAX - 2_048);
  });

  test('all leases are told once and in order, and only the last part has none after it', () => {
    const parts = welcomeParts(head, longNames);
    expect(parts.flatMap((part) => part.held)).toEqual(longNames);
    expect(parts.map((part) => part.more)).toEqual(parts.map((_, index) => index < parts.length - 1));
  });

  test('the secret is said once', () => {
    const parts = welcomeParts(head, longNames);
    expect(parts.map((part) => part.secret)).toEqual(parts.map((_, index) => (index === 0 ? head.secret : undefined)));
  });

  test('what is left is rounded down and never below 0', () => {
    expect(leftAsOf(listeningMs(1_000.9), listeningMs(0.2))).toBe(1_000);
    expect(leftAsOf(listeningMs(1_000), listeningMs(0.2))).toBe(999);
    expect(leftAsOf(listeningMs(5), listeningMs(6))).toBe(0);
  });
});
