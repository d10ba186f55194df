import { describe, expect, test } from 'vitest';
import { LIMITS_DEFAULT } from '../../../../server/core/limits.ts';
import { memoryJournal } from '../../../../server/journal/memory.ts';
import { Admission, plainAddress } from '../../../../server/net/admission.ts';
import { isSocketPath } from '../../../../server/net/handshake.ts';
import { LIMIT_RANGES, limitsFrom } from '../../../../server/net/limit-ranges.ts';
import { checkedOptions } from '../../../../server/net/options.ts';

const journal = memoryJournal();

/** The options of a careless caller: not what the type says. */
const refusalOf = (options: object): string => {
  try {
    checkedOptions({ journal, ...options });
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

describe('S10 the options of a coordinator', () => {
  test('S10 an unknown one is refused with the nearest known one', () => {
    expect(refusalOf({ quietMS: 5 })).toContain('did you mean "quietMs"?');
    expect(refusalOf({ limits: { queuMax: 5 } })).toContain('did you mean "queueMax"?');
    expect(refusalOf({ zebra: 1 })).toBe('createCoordinator: no such option "zebra".');
  });

  test('S10 a value outside its range is refused with value, unit and range; nothing is clamped', () => {
    expect(refusalOf({ quietMs: -1 })).toContain('quietMs is -1; allowed are whole milliseconds from 0 to 86400000');
    expect(refusalOf({ limits: { queueMax: 0 } })).toContain(
      'queueMax is 0; allowed is a whole number from 1 to 1000000',
    );
    expect(refusalOf({ limits: { frameBytesMax: 1 } })).toContain('(bytes) from 16384 to 262144');
    expect(refusalOf({ limits: { lifetimeMsMax: 1_000 } })).toContain(
      'lifetimeMsDefault (86400000) is larger than lifetimeMsMax (1000)',
    );
    expect(refusalOf({ origins: ['https://app.example/'] })).toContain('write https://app.example');
    expect(refusalOf({ origins: ['*'] })).toContain('scheme://host');
    expect(refusalOf({ hosts: ['locks.example:7400'] })).toContain('without scheme, port and path');
    expect(refusalOf({ base: '/locks/' })).toContain('without a slash at its end');
    expect(refusalOf({ journal: undefined })).toContain('sqliteJournal({ path })');
  });

  test('every default lies in its own range, and all agree', () => {
    expect(limitsFrom(LIMITS_DEFAULT)).toEqual({ ok: true, limits: LIMITS_DEFAULT });
    for (const [key, range] of Object.entries(LIMIT_RANGES)) expect(range.min, key).toBeLessThanOrEqual(range.max);
  });

  test('limits given later lie over those before', () => {
    const first = limitsFrom({ queueMax: 5 });
    expect(first.ok && limitsFrom({ statesMax: 7 }, first.limits)).toMatchObject({
      ok: true,
      limits: { queueMax: 5, statesMax: 7 },
    });
  });
});

describe('S11 who is let in', () => {
  const limits = { connectionsMax: 4, connectionsPerAddressMax: 2, unauthenticatedMax: 3 };

  test('S11 each limit holds at its value and refuses one above it', () => {
    const admission = new Admission();
    expect(admission.admit('a', limits)).toBeNull();
    expect(admission.admit('a', limits)).toBeNull();
    expect(admission.admit('a', limits)).toContain('2 connections of your address; allowed are at most 2');
    expect(admission.admit('b', limits)).toBeNull();
    expect(admission.admit('c', limits)).toContain('3 connections that were not welcomed yet');
    admission.welcomed();
    expect(admission.admit('c', limits)).toBeNull();
    expect(admission.admit('d', limits)).toContain('4 connections; allowed are at most 4');
    expect(admission.connections).toBe(4);
  });

  test('S11 those who leave make room, welcomed or not', () => {
    const admission = new Admission();
    for (let round = 0; round < 50; round += 1) {
      expect(admission.admit('a', limits)).toBeNull();
      if (round % 2 === 0) admission.welcomed();
      admission.left('a', round % 2 === 0);
    }
    expect(admission.connections).toBe(0);
  });

  test('S11 a socket of channels counts once, and each of its channels until it is welcomed', () => {
    const admission = new Admission();
    const none = { connectionsMax: 1, connectionsPerAddressMax: 1, unauthenticatedMax: 2 };
    expect(admission.admit('a', none)).toBeNull();
    // The first one takes the place of the socket, which waited for nothing else.
    expect(admission.admitChannel(true, { ...none, unauthenticatedMax: 1 })).toBeNull();
    expect(admission.admitChannel(false, none)).toBeNull();
    expect(admission.admitChannel(false, none)).toContain('2 connections that were not welcomed yet');
    admission.welcomed();
    admission.channelLeft(true);
    expect(admission.admitChannel(false, none)).toBeNull();
    admission.channelLeft(false);
    expect(admission.admitChannel(false, none)).toBeNull();
    expect(admission.admitChannel(false, none)).not.toBeNull();
    admission.left('a', true);
    expect(admission.connections).toBe(0);
  });

  test('an IPv4 address is the same over an IPv6 socket', () => {
    expect(plainAddress('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(plainAddress('2001:db8::1')).toBe('2001:db8::1');
  });
});

test('sockets are at <base>/v1/socket and one further segment', () => {
  for (const path of ['/v1/socket', '/v1/socket?x=1', '/v1/socket/', '/v1/socket/abc', '/v1/socket/abc?x=/y'])
    expect(isSocketPath(path, ''), path).toBe(true);
  for (const path of ['/', '/v1/sockets', '/v1/socket/a/b', '/x/v1/socket', undefined])
    expect(isSocketPath(path, ''), path).toBe(false);
  expect(isSocketPath('/locks/v1/socket/a', '/locks')).toBe(true);
  expect(isSocketPath('/v1/socket', '/locks')).toBe(false);
});
