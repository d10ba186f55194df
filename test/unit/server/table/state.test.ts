import { describe, expect, test } from 'vitest';
import { wallMs } from '../../../../shared/time.ts';
import { acquire, kinds, Lab, only, release, renew, revoke, setState, writable, type EventOf } from './support/lab.ts';

const refusal = (lab: Lab): Partial<EventOf<'refused'>> => only(lab.said, 'refused')[0] ?? {};
const version = (lab: Lab): number | undefined => only(lab.said, 'state-set')[0]?.version;
const shown = (lab: Lab, name?: string): string | null | undefined => lab.view(name)?.state?.valueJson;
const dropAt = (wall: number) => ({ kind: 'drop-idle-states', wall: wallMs(wall) }) as const;

function holding(limits: ConstructorParameters<typeof Lab>[0] = {}): { readonly lab: Lab; readonly token: number } {
  const lab = new Lab(limits);
  return { lab, token: lab.granted('a') };
}

describe('a state write', () => {
  test('S4 is answered and shown only once it is durable', () => {
    const { lab, token } = holding();
    expect(kinds(lab.do(setState('a', token, 'x')))).toEqual([]);
    lab.take();
    expect(shown(lab)).toBeUndefined();
    expect(lab.arrive().map((event) => event.kind)).toEqual(['state-set', 'view-changed']);
    expect(shown(lab)).toBe('"x"');
    expect(lab.view()?.state).toMatchObject({ version: 1, fencingToken: token });
  });

  test('several stack up, in order, and rise by one each', () => {
    const { lab, token } = holding();
    for (const value of ['x', 'y', 'z']) lab.do(setState('a', token, value, { request: value }));
    lab.flush();
    expect(only(lab.said, 'state-set').map((event) => [event.request, event.version])).toEqual([
      ['x', 1],
      ['y', 2],
      ['z', 3],
    ]);
    expect(shown(lab)).toBe('"z"');
  });

  test('S3 with a token that is not current is refused, and changes nothing', () => {
    const { lab, token } = holding();
    lab.do(release('a', token));
    const next = lab.granted('b');
    lab.do(setState('a', token, 'x'));
    expect(refusal(lab)).toMatchObject({ code: 'superseded', param: 'fencingToken' });
    lab.do(setState('c', next, 'x'));
    expect(refusal(lab).code).toBe('forbidden');
    lab.do(setState('a', next + 1, 'x', { name: 'unknown' }));
    expect(refusal(lab).code).toBe('expired');
    lab.do(revoke());
    lab.do(setState('b', next, 'x'));
    expect(refusal(lab).code).toBe('revoked');
    expect(shown(lab)).toBeUndefined();
  });

  test('survives hand-over and restart, and the next holder is told of it', () => {
    const { lab, token } = holding();
    lab.do(setState('a', token, 'x'));
    lab.do(release('a', token));
    lab.flush();
    lab.restart().do(acquire('b'));
    expect(only(lab.flush(), 'granted')[0]?.state).toMatchObject({ valueJson: '"x"', version: 1, fencingToken: token });
  });

  test('by which the value is removed keeps the version', () => {
    const { lab, token } = holding();
    lab.do(setState('a', token, 'x', { request: '1' }));
    lab.do(setState('a', token, null, { request: '2' }));
    lab.flush();
    expect(lab.view()?.state).toMatchObject({ valueJson: null, version: 2 });
    lab.do(setState('a', token, 'y', { request: '3' }));
    lab.flush();
    expect(version(lab)).toBe(3);
  });

  test.each([
    [0, 0, undefined],
    [1, 0, 'version-conflict'],
    [0, 1, 'version-conflict'],
    [1, 1, undefined],
    [2, 1, 'version-conflict'],
  ])('R23 that asks for version %i where it is %i is refused: %s', (ifVersion, writes, code) => {
    const { lab, token } = holding();
    for (let index = 0; index < writes; index += 1) lab.do(setState('a', token, 'x', { request: `${index}` }));
    lab.do(setState('a', token, 'y', { ifVersion, request: 'last' }));
    expect(refusal(lab).code).toBe(code);
    expect(refusal(lab).param ?? 'ifVersion').toBe('ifVersion');
    lab.flush();
    expect(lab.view()?.state?.version ?? 0).toBe(writes + (code === undefined ? 1 : 0));
  });

  test('R7 repeated is answered again with its version and not done twice, also when the lease is gone', () => {
    const { lab, token } = holding();
    const write = setState('a', token, 'x');
    lab.do(write);
    lab.do(write);
    lab.take();
    expect(lab.do(write)).toEqual([]);
    expect(lab.arrive().filter((event) => event.kind === 'state-set')).toHaveLength(1);
    lab.do(write);
    expect(version(lab)).toBe(1);
    expect(lab.table.hasDurable).toBe(false);
    lab.do(release('a', token));
    lab.flush();
    lab.restart().do(write);
    expect(version(lab)).toBe(1);
  });
});

describe('R14 a failed append', () => {
  test('drops every write that is not durable and refuses each; what was stored stands', () => {
    const { lab, token } = holding();
    lab.do(setState('a', token, 'x', { request: '1' }));
    lab.flush();
    for (const request of ['2', '3']) lab.do(setState('a', token, 'y', { request }));
    lab.take();
    lab.do(setState('a', token, 'z', { request: '4' }));
    lab.fail();
    expect(only(lab.said, 'refused').map(({ request, code, retryAfterMs }) => [request, code, retryAfterMs])).toEqual(
      ['2', '3', '4'].map((request) => [request, 'unavailable', 500]),
    );
    expect(lab.take()).toEqual([]);
    lab.arrive();
    expect(shown(lab)).toBe('"x"');
    expect(lab.table.counts()).toMatchObject({ states: 1, stateBytes: 3 });
    lab.do(writable(true));
    lab.do(setState('a', token, 'w', { request: '5', ifVersion: 1 }));
    lab.flush();
    expect(version(lab)).toBe(2);
  });

  test('leaves no name behind that only the write had made known', () => {
    const { lab, token } = holding();
    lab.do(setState('a', token, 'x'));
    lab.do(release('a', token));
    lab.take();
    lab.fail();
    expect(lab.table.counts()).toEqual({ leases: 0, claims: 0, names: 0, states: 0, stateBytes: 0 });
  });

  test('while nothing can be written a write is refused, and the lease goes on', () => {
    const { lab, token } = holding();
    lab.do(writable(false));
    lab.do(setState('a', token, 'x'));
    expect(refusal(lab)).toMatchObject({ code: 'unavailable', retryAfterMs: 500 });
    expect(kinds(lab.do(renew('a', token)))).toEqual(['renewed']);
  });
});

describe('limits of state', () => {
  test.each([
    ['x'.repeat(7), undefined],
    ['x'.repeat(8), undefined],
    ['x'.repeat(9), 'state-too-large'],
    // Four bytes each in UTF-8, two units each in UTF-16.
    ['\u{1f600}'.repeat(2), undefined],
    ['\u{1f600}'.repeat(2) + 'x', 'state-too-large'],
  ])('S11 where 10 bytes are allowed, %j is refused: %s', (value, code) => {
    const { lab, token } = holding({ stateBytesMax: 10 });
    lab.do(setState('a', token, value));
    expect(refusal(lab).code).toBe(code);
    expect(refusal(lab).message ?? 'allowed are 10').toContain('allowed are 10');
    lab.flush();
    expect(lab.view()?.state === null).toBe(code !== undefined);
    expect(lab.holder()).toBe('a');
  });

  test('S11 where 2 names may have a state, the third is refused, and may have one when another is dropped', () => {
    const lab = new Lab({ statesMax: 2, stateIdleMs: 1_000 });
    for (const by of ['a', 'b', 'c']) lab.granted(by, {}, by);
    for (const [index, by] of ['a', 'b', 'c'].entries()) {
      lab.do(setState(by, index + 1, 'x', { name: by }));
      expect(refusal(lab).code).toBe(by === 'c' ? 'storage-full' : undefined);
    }
    // To remove what was never there would keep a name as well.
    lab.do(setState('c', 3, null, { name: 'c' }));
    expect(refusal(lab).code).toBe('storage-full');
    lab.do(setState('a', 1, 'y', { name: 'a', request: 'again' }));
    expect(refusal(lab).code).toBeUndefined();
    lab.do(release('a', 1, false, 'a'));
    lab.flush();
    lab.do(dropAt(1_000));
    lab.do(setState('c', 3, 'x', { name: 'c' }));
    expect(refusal(lab).code).toBeUndefined();
  });

  test.each([
    [5, undefined],
    [6, undefined],
    [7, 'storage-full'],
  ])('S11 of 10 bytes in all, with 4 taken, a write of %i is refused: %s', (bytes, code) => {
    const lab = new Lab({ statesBytesMax: 10 });
    lab.granted('a', {}, 'x');
    lab.granted('b', {}, 'y');
    lab.do(setState('a', 1, 'aa', { name: 'x' }));
    lab.do(setState('b', 2, 'b'.repeat(bytes - 2), { name: 'y' }));
    expect(refusal(lab).code).toBe(code);
  });

  test('a value counts for what it was written last; removed it counts nothing', () => {
    const { lab, token } = holding({ statesBytesMax: 10 });
    for (const [request, value, bytes] of [
      ['1', 'xxxxxxxx', 10],
      ['2', 'xx', 4],
      ['3', null, 0],
      ['4', 'xxxxxxxx', 10],
    ] as const) {
      lab.do(setState('a', token, value, { request }));
      expect(lab.table.counts()).toMatchObject({ states: 1, stateBytes: bytes });
    }
    lab.flush();
    expect(lab.restart().table.counts()).toMatchObject({ states: 1, stateBytes: 10 });
  });
});

describe('the state of an idle name', () => {
  function idle(): Lab {
    const { lab, token } = holding({ stateIdleMs: 1_000 });
    lab.do(setState('a', token, 'x', { wall: 5_000 }));
    lab.do(release('a', token));
    lab.flush();
    return lab;
  }

  test.each([
    [5_999, false],
    [6_000, true],
    [6_001, true],
  ])('kept for 1000 ms, written at 5000, is dropped at %i: %s', (wall, dropped) => {
    const lab = idle();
    expect(lab.do(dropAt(wall)).map((event) => event.kind)).toEqual(dropped ? ['view-changed'] : []);
    lab.flush();
    expect(lab.table.counts().names).toBe(dropped ? 0 : 1);
    expect(lab.image.states.size).toBe(dropped ? 0 : 1);
  });

  test('is kept while somebody holds the name or waits for it', () => {
    const lab = idle();
    lab.granted('b');
    lab.do(dropAt(60_000));
    expect(shown(lab)).toBe('"x"');
  });

  test('is found behind those of names in use', () => {
    const lab = idle();
    lab.granted('b');
    lab.granted('c', {}, 'other');
    lab.do(setState('c', lab.token('other'), 'y', { name: 'other', wall: 6_000 }));
    lab.do(release('c', lab.token('other'), false, 'other'));
    lab.flush();
    lab.do(dropAt(60_000));
    expect([shown(lab), shown(lab, 'other')]).toEqual(['"x"', undefined]);
  });
});
