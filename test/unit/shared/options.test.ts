import { describe, expect, it } from 'vitest';
import { durationProblem, inWords, unknownKeyProblem } from '../../../shared/options.ts';

describe('unknown keys', () => {
  const known = ['ttlMs', 'waitMs', 'maxLifetimeMs', 'signal'];

  it('none is no problem, nor is an empty object', () => {
    expect(unknownKeyProblem({ ttlMs: 1, signal: undefined }, known)).toBeNull();
    expect(unknownKeyProblem({}, known)).toBeNull();
  });

  it.each([
    ['ttl', 'ttlMs'],
    ['TTLMS', 'ttlMs'],
    ['wait', 'waitMs'],
    ['waitMS', 'waitMs'],
    ['maxLifeTimeMs', 'maxLifetimeMs'],
    ['lifetimeMs', 'maxLifetimeMs'],
    ['singal', 'signal'],
    ['max', 'maxLifetimeMs'],
  ])('%s is refused with the nearest: %s', (key, near) => {
    expect(unknownKeyProblem({ [key]: 1 }, known)).toEqual({
      param: key,
      problem: `no such option "${key}"; did you mean "${near}"?`,
    });
  });

  it.each([['colour'], ['x'], ['ma'], ['__proto__x']])('%s is near to none', (key) => {
    expect(unknownKeyProblem({ [key]: 1 }, known)).toEqual({ param: key, problem: `no such option "${key}"` });
  });
});

describe('durations', () => {
  it.each([[10], [11], [20]])('%d is in 10 to 20', (value) =>
    expect(durationProblem('ttlMs', value, 10, 20)).toBeNull(),
  );

  it.each([
    [9, '9'],
    [21, '21'],
    [10.5, '10.5'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    ['15', '"15"'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
    [{}, 'an object'],
    [[15], 'a list'],
    [2 ** 53, '9007199254740992'],
  ])('F06 %j is refused with field, value, unit and range', (value, shown) => {
    expect(durationProblem('ttlMs', value, 10, 20)).toEqual({
      param: 'ttlMs',
      problem: `ttlMs is ${shown}; allowed are whole milliseconds from 10 to 20`,
    });
  });
});

describe('a value in words', () => {
  it('is short, whatever it is, and never an exception', () => {
    expect(inWords('x'.repeat(40))).toBe(`"${'x'.repeat(40)}"`);
    expect(inWords('x'.repeat(41))).toBe(`"${'x'.repeat(40)}..."`);
    expect(inWords(Symbol('s'))).toBe('Symbol(s)');
    expect(inWords(1n)).toBe('1n');
    expect(inWords(() => 'the source')).toBe('a function');
    expect(inWords(Object.create(null))).toBe('an object');
  });

  it.each([
    ['a\nb', '"a\\nb"'],
    ['a\u007fb', '"a%7Fb"'],
    ['a\u009bb', '"a%C2%9Bb"'],
    ['a\u202eb', '"a%E2%80%AEb"'],
    [Symbol('a\nb'), 'Symbol(a%0Ab)'],
  ])('shows control characters escaped: %j', (value, shown) => {
    expect(inWords(value)).toBe(shown);
    expect(unknownKeyProblem({ [String(value)]: 1 }, [])?.problem).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('an unknown key is said of what it was to be', () => {
    expect(unknownKeyProblem({ loss: 1 }, ['lost'], 'event')?.problem).toBe(
      'no such event "loss"; did you mean "lost"?',
    );
  });
});
