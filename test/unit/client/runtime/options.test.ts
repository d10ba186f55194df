import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkConnect, termsOf } from '../../../../client/runtime/options.ts';
import type { ConnectOptions } from '../../../../client/runtime/public-options.ts';
import { rig } from './support.ts';

const terms = (options: object) => termsOf('printer', options, 30_000);
const refusal = (work: () => unknown): { readonly code: string; readonly param: string; readonly message: string } => {
  try {
    work();
  } catch (error) {
    // Only LeaseErrors are thrown here; anything else fails the expectation that follows.
    return error as never;
  }
  throw new Error('not refused');
};

describe('F06 S10 odd durations are refused with field, value, unit and range; nothing is asked', () => {
  const odd = [-1, 0.5, 1.5, 1500.7, '30', '30s', NaN, Infinity, null, true, 1e12, 2 ** 31, 2 ** 53, {}, [1_000]];
  const ranges: readonly (readonly [string, number, number])[] = [
    ['ttlMs', 1_000, 86_400_000],
    ['waitMs', 0, 86_400_000],
    ['maxLifetimeMs', 250, 2_592_000_000],
    ['minHoldMs', 0, 3_600_000],
    ['lockDelayMs', 0, 60_000],
  ];

  it.each(ranges)('%s', async (param, min, max) => {
    const { core, client } = rig();
    for (const value of odd) {
      if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) continue;
      const error = refusal(() => terms({ [param]: value }));
      expect(error).toMatchObject({ code: 'bad-request', param });
      expect(error.message).toMatch(new RegExp(`^${param} is .*; allowed: whole milliseconds from ${min} to ${max}$`));
      await expect(client.acquire('printer', { [param]: value as number })).rejects.toMatchObject({
        code: 'bad-request',
        param,
      });
    }
    expect(core.events).toEqual([]);
  });

  it('a window of 0 is refused, a wait of 0 is one try', () => {
    expect(refusal(() => terms({ ttlMs: 0 }))).toMatchObject({ param: 'ttlMs' });
    expect(terms({ waitMs: 0 }).waitMs).toBe(0);
  });

  it('an absent window is that of the client, an absent wait is without limit; undefined is absent', () => {
    expect(terms({ ttlMs: undefined, waitMs: undefined })).toMatchObject({ ttlMs: 30_000, waitMs: null });
  });
});

describe('limits, one below, at and above', () => {
  const cases: readonly (readonly [object, number, number, string])[] = [
    [{}, 1_000, 86_400_000, 'ttlMs'],
    [{ renew: false }, 250, 86_400_000, 'ttlMs'],
    [{}, 0, 86_400_000, 'waitMs'],
    [{}, -100, 100, 'priority'],
    [{}, 30_000, 2_592_000_000, 'maxLifetimeMs'],
    [{}, 0, 3_600_000, 'minHoldMs'],
    [{}, 0, 60_000, 'lockDelayMs'],
    [{}, 150, 9_850, 'stopMarginMs'],
    [{ ttlMs: 300_000 }, 600, 99_850, 'stopMarginMs'],
  ];
  it.each(cases)('%j: from %d to %d %s', (others, min, max, param) => {
    for (const value of [min, max]) expect(terms({ ...others, [param]: value })).toMatchObject({ [param]: value });
    for (const value of [min - 1, max + 1])
      expect(refusal(() => terms({ ...others, [param]: value }))).toMatchObject({ code: 'bad-request' });
  });

  const connections: readonly (readonly [keyof ConnectOptions, number, number])[] = [
    ['ttlMs', 1_000, 86_400_000],
    ['connectTimeoutMs', 100, 60_000],
    ['maxBackoffMs', 100, 300_000],
    ['idleMs', 0, 86_400_000],
  ];
  it.each(connections)('connect: %s from %d to %d', (param, min, max) => {
    for (const value of [min, max]) expect(() => checkConnect({ [param]: value })).not.toThrow();
    for (const value of [min - 1, max + 1]) {
      expect(refusal(() => checkConnect({ [param]: value })).message).toBe(
        `${param} is ${value}; allowed: whole milliseconds from ${min} to ${max}`,
      );
    }
  });

  it.each([
    ['label', 'x'.repeat(128), 'x'.repeat(129)],
    ['label', 'é'.repeat(64), 'é'.repeat(65)],
    ['metadata', 'x'.repeat(1_022), 'x'.repeat(1_023)],
    ['credential', 'x'.repeat(8_192), 'x'.repeat(8_193)],
  ])('connect: %s in bytes of UTF-8', (param, most, over) => {
    expect(() => checkConnect({ [param]: most })).not.toThrow();
    expect(refusal(() => checkConnect({ [param]: over }))).toMatchObject({ code: 'bad-request', param });
  });
});

describe('kinds', () => {
  it.each([
    [{ renew: 'yes' }, 'renew is "yes"; allowed: boolean'],
    [{ steal: 1 }, 'steal is 1; allowed: boolean'],
    [{ whenOwn: 'wait' }, 'whenOwn is "wait"; allowed: "queue" or "reject"'],
    [{ whenOwn: null }, 'whenOwn is null; allowed: "queue" or "reject"'],
    [{ onQueued: {} }, 'onQueued is an object; allowed: function'],
    [{ renewWhile: true }, 'renewWhile is true; allowed: function'],
    [{ signal: 'abort' }, 'signal is "abort"; allowed: an AbortSignal'],
    [{ signal: {} }, 'signal is an object; allowed: an AbortSignal'],
    [{ signal: null }, 'signal is null; allowed: an AbortSignal'],
    [{ renew: 'boolean' }, 'renew is "boolean"; allowed: boolean'],
    [{ priority: 0.5 }, 'priority is 0.5; allowed: whole numbers from -100 to 100'],
    [{ renewRatio: 0.91 }, 'renewRatio is 0.91; allowed: numbers from 0.1 to 0.9'],
    [{ renewRatio: NaN }, 'renewRatio is NaN; allowed: numbers from 0.1 to 0.9'],
  ])('S10 %j is refused with what is allowed', (given, message) => {
    expect(refusal(() => terms(given))).toMatchObject({ code: 'bad-request', param: Object.keys(given)[0], message });
  });

  it.each([
    [{ logger: 'console' }, 'logger'],
    [{ logger: {} }, 'logger'],
    [{ logger: { warn: 'f' } }, 'logger'],
    [{ WebSocket: {} }, 'WebSocket'],
    [{ credential: 5 }, 'credential'],
    [{ label: 5 }, 'label'],
    [{ label: 'two\nlines' }, 'label'],
    [{ label: 'bell\u0007' }, 'label'],
    [{ label: 'c1\u0085' }, 'label'],
    [{ label: 'half \ud800' }, 'label'],
    [{ metadata: () => 1 }, 'metadata'],
    [{ metadata: 1n }, 'metadata'],
  ])('S10 connect refuses %o', (given, param) => {
    expect(refusal(() => checkConnect(given as never))).toMatchObject({ code: 'bad-request', param });
  });

  it('a signal is known by what it does, so one of another realm is good', () => {
    const foreign = { throwIfAborted: () => undefined };
    expect(() => terms({ signal: foreign })).not.toThrow();
    expect(() => terms({ signal: new AbortController().signal })).not.toThrow();
  });

  it.each([
    [{ waitMs: 5 }, 'waitMs'],
    [{ onQueued: () => undefined }, 'onQueued'],
    [[], 'options'],
    [5, 'options'],
  ])('S10 tryAcquire refuses %j, and nothing is asked', async (given, param) => {
    const { core, client } = rig();
    await expect(client.tryAcquire('printer', given as never)).rejects.toMatchObject({ code: 'bad-request', param });
    expect(core.events).toEqual([]);
  });

  it('options that are no object are refused', () => {
    expect(refusal(() => terms(5_000 as never))).toMatchObject({ message: 'options is 5000; allowed: an object' });
    expect(refusal(() => terms([] as never))).toMatchObject({ message: 'options is a list; allowed: an object' });
    expect(refusal(() => terms(null as never))).toMatchObject({ message: 'options is null; allowed: an object' });
  });

  it.each([
    [{ ttl: 5 }, 'no such option "ttl"; did you mean "ttlMs"?'],
    [{ waitms: 5 }, 'no such option "waitms"; did you mean "waitMs"?'],
    [{ colour: 5 }, 'no such option "colour"'],
    [{ drainMs: 5 }, 'no such option "drainMs"'],
  ])('S10 an unknown key is refused with the nearest known one: %j', (given, message) => {
    expect(refusal(() => terms(given))).toMatchObject({
      code: 'bad-request',
      param: Object.keys(given)[0],
      message: expect.stringContaining(message) as string,
    });
  });

  it.each([
    ['', /at least 1 byte/],
    ['..', /cannot be names/],
    ['a\nb', /control/],
    ['x'.repeat(257), /257/],
    [5, /a name is a text/],
    [undefined, /name is undefined/],
  ])('S10 the name %j is refused in words', (name, words) => {
    expect(refusal(() => termsOf(name as string, {}, 30_000))).toMatchObject({
      code: 'bad-request',
      param: 'name',
      message: expect.stringMatching(words) as string,
    });
  });
});

describe('options that depend on each other are checked together', () => {
  it('a renewal needs room for two attempts before the stop margin, said with the values and the inequality', () => {
    expect(refusal(() => terms({ ttlMs: 15_000, stopMarginMs: 14_000 })).message).toBe(
      'ttlMs 15000 x (1 - renewRatio 0.667) - stopMarginMs 14000 = -9000 ms must be at least 150 (2 renewals of 75 ms): raise ttlMs, or lower renewRatio or stopMarginMs',
    );
    expect(refusal(() => terms({ ttlMs: 2_000, renewRatio: 0.9 }))).toMatchObject({
      code: 'bad-request',
      param: 'ttlMs',
    });
  });

  it('a fixed window needs only to be longer than the stop margin', () => {
    expect(terms({ renew: false, ttlMs: 250 })).toMatchObject({ ttlMs: 250, renew: false });
    expect(terms({ renew: false, ttlMs: 1_000, stopMarginMs: 999 })).toMatchObject({ stopMarginMs: 999 });
    expect(refusal(() => terms({ renew: false, ttlMs: 1_000, stopMarginMs: 1_000 })).message).toMatch(
      /= 0 ms must be at least 1/,
    );
  });

  it('a ceiling shorter than the window is refused', () => {
    expect(refusal(() => terms({ ttlMs: 5_000, maxLifetimeMs: 4_999 })).message).toBe(
      'maxLifetimeMs is 4999; allowed: at least ttlMs 5000',
    );
  });

  it('every TTL that is in range is good with the defaults', () => {
    fc.assert(fc.property(fc.integer({ min: 1_000, max: 86_400_000 }), (ttlMs) => void terms({ ttlMs })));
  });
});

describe('`share`', () => {
  it.each([
    ['tabs', 'share is "tabs"; allowed: "shared-worker" or object'],
    [null, 'share is null; allowed: "shared-worker" or object'],
    [true, 'share is true; allowed: "shared-worker" or object'],
    [{}, 'share is { worker: undefined }; allowed: the place of the built leasehold/shared-worker, as text or URL'],
    [
      { worker: '' },
      'share is { worker: "" }; allowed: the place of the built leasehold/shared-worker, as text or URL',
    ],
    [{ worker: 7 }, 'share is { worker: 7 }; allowed: the place of the built leasehold/shared-worker, as text or URL'],
  ])('%o is refused in words', (share, message) => {
    // What people give who do not look at the types.
    expect(refusal(() => checkConnect({ share } as never))).toMatchObject({
      code: 'bad-request',
      param: 'share',
      message,
    });
  });

  it('an unknown key in it is refused with the one that was meant', () => {
    const { code, message } = refusal(() => checkConnect({ share: { workr: '/w.js' } } as never));
    expect(code).toBe('bad-request');
    expect(message).toContain('worker');
  });

  it.each([['shared-worker'], [{ worker: '/assets/w.js' }], [{ worker: new URL('https://a.test/w.js') }]] as const)(
    '%o is taken',
    (share) => {
      expect(checkConnect({ share })).toMatchObject({ share });
    },
  );
});
