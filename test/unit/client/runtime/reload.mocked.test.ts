import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReloadRecord } from '../../../../client/core/reload.ts';
import { reloadPlace } from '../../../../client/runtime/reload.ts';
import {
  fencingToken,
  instanceId,
  journalId,
  leaseName,
  requestId,
  secret,
  sessionId,
} from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';

const RECORD: ReloadRecord = {
  keepMs: durationMs(10_000),
  session: sessionId('s'),
  secret: secret('k'),
  left: instanceId('i'),
  journal: journalId('j'),
  tokenMark: fencingToken(7),
  windowMs: durationMs(30_000),
  asked: [
    { name: leaseName('n'), request: requestId('1'), ttlMs: durationMs(30_000), token: fencingToken(7) },
    { name: leaseName('m'), request: requestId('2'), ttlMs: durationMs(30_000), token: undefined },
  ],
};
const texts = new Map<string, string>();
const storage = {
  getItem: (key: string): string | null => texts.get(key) ?? null,
  setItem: (key: string, text: string): void => void texts.set(key, text),
  removeItem: (key: string): void => void texts.delete(key),
};
const place = (url = 'ws://a', namespace?: string) => {
  const made = reloadPlace([url], namespace);
  if (made === null) throw new Error('a page has a place');
  return made;
};

beforeEach(() => {
  texts.clear();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 11, 1) });
  vi.stubGlobal('document', {});
  vi.stubGlobal('sessionStorage', storage);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('the record of a page', () => {
  test('is taken once, as it was left', () => {
    expect(place().put(RECORD)).toBe(true);
    expect(place().take()).toEqual(RECORD);
    expect(place().take()).toBeNull();
  });

  test('is of its URLs and namespace alone', () => {
    place('ws://a', 'x').put(RECORD);
    expect([place('ws://a').take(), place('ws://b', 'x').take()]).toEqual([null, null]);
    expect(place('ws://a', 'x').take()).toEqual(RECORD);
  });

  test('of the first of two clients that leave one is kept; an old one is written over', () => {
    expect([place().put(RECORD), place().put(RECORD)]).toEqual([true, false]);
    vi.setSystemTime(Date.now() + 10_001);
    expect(place().put(RECORD)).toBe(true);
  });

  test.each([10_001, -10_001])('is ignored, and gone, when the wall clock says %i ms', (ms) => {
    place().put(RECORD);
    vi.setSystemTime(Date.now() + ms);
    expect(place().take()).toBeNull();
    expect(texts.size).toBe(0);
  });

  test.each(['{', 'null', '[]', '"text"', '1', '{}', '{"at":1}'])(
    'that is none (%s) is ignored, and gone, and in nobody’s way',
    (text) => {
      place().put(RECORD);
      const [key = ''] = texts.keys();
      texts.set(key, text);
      expect(place().take()).toBeNull();
      expect(texts.size).toBe(0);
      texts.set(key, text);
      expect(place().put(RECORD)).toBe(true);
    },
  );

  test.each(['keepMs', 'session', 'secret', 'journal', 'tokenMark', 'windowMs', 'asked', 'at'])(
    'with another kind of %s is ignored',
    (field) => {
      place().put(RECORD);
      const [[key, text] = ['', '{}']] = texts;
      for (const value of [null, {}, -1, '']) {
        texts.set(key, JSON.stringify({ ...JSON.parse(text), [field]: value }));
        expect(place().take()).toBeNull();
      }
    },
  );

  test('where storage is refused nothing is left and nothing is found', () => {
    const refused = (): never => {
      throw new DOMException('denied', 'SecurityError');
    };
    vi.stubGlobal('sessionStorage', { getItem: refused, setItem: refused, removeItem: refused });
    expect([place().put(RECORD), place().take()]).toEqual([false, null]);
    expect(() => place().drop()).not.toThrow();
  });

  test('has no place where there is no page', () => {
    vi.unstubAllGlobals();
    expect(reloadPlace(['ws://a'])).toBeNull();
  });
});
