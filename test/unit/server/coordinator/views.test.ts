import { describe, expect, test } from 'vitest';
import { pageOf, wireState } from '../../../../server/core/coordinator/views.ts';
import { fencingToken, leaseName, requestId, sessionId } from '../../../../shared/ids.ts';
import { wallMs } from '../../../../shared/time.ts';

const named = (name: string, bytes = 0) => ({
  name: leaseName(name),
  holders: [],
  queue: 0,
  ...(bytes === 0 ? {} : { state: { value: 'x'.repeat(bytes), version: 1, fencingToken: fencingToken(1) } }),
});

const stored = (valueJson: string | null) => ({
  name: leaseName('n'),
  valueJson,
  version: 3,
  fencingToken: fencingToken(7),
  session: sessionId('s'),
  request: requestId('r'),
  writtenAt: wallMs(0),
});

describe('views', () => {
  test('a page ends before it grows over its bytes, and goes on from its last name', () => {
    const page = pageOf([named('a', 400), named('b', 400), named('c', 400)], null, 1_000);
    expect(page.views.map((view) => view.name)).toEqual(['a', 'b']);
    expect(page.next).toBe('b');
  });

  test('a name that is too large alone is shown alone, so that a reader comes to the end', () => {
    expect(pageOf([named('a', 5_000), named('b')], null, 1_000)).toEqual({ views: [named('a', 5_000)], next: 'a' });
  });

  test('a page that goes in whole says what the table said', () => {
    expect(pageOf([named('a'), named('b')], 'b', 10_000)).toEqual({ views: [named('a'), named('b')], next: 'b' });
    expect(pageOf([], null, 10_000)).toEqual({ views: [], next: null });
  });

  test('a state that is null is shown; one that was removed is not', () => {
    expect(wireState(stored('null'))).toEqual({ value: null, version: 3, fencingToken: 7 });
    expect(wireState(stored(null))).toBeUndefined();
    expect(wireState(null)).toBeUndefined();
  });
});
