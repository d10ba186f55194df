import { describe, expect, test } from 'vitest';
import type { ReloadRecord } from '../../../../client/core/reload.ts';
import { reference, type Effect } from '../../../../client/core/types.ts';
import { fencingToken, instanceId, leaseName, requestId, type RequestId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { scripted, TERMS, type Scripted } from '../../../support/sim/scripted.ts';

const leave = (world: Scripted): { record: ReloadRecord; effects: readonly Effect[] } => {
  const record = world.core.record();
  if (record === null) throw new Error('nothing is left');
  return { record, effects: world.do({ kind: 'put-away', keepMs: record.keepMs }, true) };
};
const said = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'send' ? effect.messages.map(({ type }) => type) : []));
const TOKEN = fencingToken(101);
const held = {
  name: leaseName('n'),
  fencingToken: TOKEN,
  leftMs: durationMs(29_000),
  ttlMs: durationMs(30_000),
  ceilingLeftMs: durationMs(80_000_000),
};

/** A page that holds `n` and waits for `m`. */
function holding() {
  const world = scripted({ chance: () => 0 });
  const key = world.acquire('n');
  world.open();
  world.grant(key, { fencingToken: TOKEN });
  const waits = world.acquire('m');
  return { world, key, waits };
}

/** The page that is loaded next, before it has asked for anything. */
function next(resume: ReloadRecord) {
  const world = scripted({ chance: () => 0, resume, instance: instanceId('the-second-instance') });
  const claim = (name: string, terms = {}): RequestId => {
    const key = world.core.keyFor(leaseName(name));
    world.do({ kind: 'acquire', key, terms: { ...TERMS, name: leaseName(name), ...terms } });
    return key;
  };
  return { world, claim };
}

describe('what a page leaves', () => {
  test('P-10 belief ends first; the lease is renewed for the last time, nothing is released or cancelled, and the bye says that it comes back', () => {
    const { world, key } = holding();
    const { record, effects } = leave(world);
    expect(effects.map(({ kind }) => kind)).toEqual(['lease', 'send', 'abandon', 'status']);
    expect(world.news(key)).toEqual(['lost closed']);
    expect(said(effects)).toEqual(['renew', 'bye']);
    expect(world.sent('bye')).toMatchObject([{ keepMs: 10_000, comesBack: true }]);
    expect(record).toMatchObject({
      keepMs: 10_000,
      session: 'session-1',
      secret: 'secret-1',
      journal: 'journal',
      tokenMark: TOKEN,
    });
  });

  test('names leases with their tokens, then the claims that wait without a limit', () => {
    const { world, key, waits } = holding();
    world.acquire('limited', { waitMs: durationMs(5_000) });
    expect(world.core.record()?.asked).toMatchObject([
      { name: 'n', request: key, token: TOKEN },
      { name: 'm', request: waits },
    ]);
    const { effects } = leave(world);
    expect(said(effects)).toEqual(['renew', 'cancel', 'bye']);
  });

  test('is kept no longer than the longest window of it', () => {
    const world = scripted();
    const key = world.acquire('n', { ttlMs: durationMs(2_000) });
    world.open();
    world.grant(key);
    expect(world.core.record()?.keepMs).toBe(2_000);
  });

  test('a fixed window, a lease that renews no more and one that is offered to another are given back', () => {
    const world = scripted();
    const [fixed, stopped, handing] = [
      world.acquire('a', { renew: false }),
      world.acquire('b'),
      world.acquire('c'),
    ] as const;
    world.acquire('d');
    world.open();
    [fixed, stopped, handing].forEach((key, index) => world.grant(key, { fencingToken: fencingToken(500 + index) }));
    world.do({ kind: 'stop-renewing', key: stopped });
    world.do({ kind: 'release', key: handing, reference: reference(1), handOver: true });
    const { record } = leave(world);
    expect(record.asked.map(({ name }) => name)).toEqual(['d']);
    expect(world.sent('release').map(({ fencingToken: token }) => token)).toEqual(
      expect.arrayContaining([500, 501, 502]),
    );
    expect(world.sent('renew')).toEqual([]);
  });

  test('R13 is left without a word where the socket is gone before the page hears that it goes: belief has ended all the same', () => {
    const { world, key } = holding();
    world.drop();
    const { record, effects } = leave(world);
    expect(world.news(key)).toEqual(['lost closed']);
    expect(said(effects)).toEqual([]);
    expect(record).toMatchObject({ session: 'session-1', left: 'instance', asked: [{ name: 'n' }, { name: 'm' }] });
  });

  test('is nothing without a lease or claim, and of a client that closes', () => {
    const world = scripted();
    world.do({ kind: 'ready', reference: reference(1) });
    world.open();
    expect(world.core.record()).toBeNull();
    const { world: closing } = holding();
    closing.do({ kind: 'close', keep: [] });
    expect(closing.core.record()).toBeNull();
  });

  test('S1 a page that goes on after all is another instance, resumes, gives back what it had ended, and stands again', () => {
    const { world } = holding();
    leave(world);
    world.do({ kind: 'brought-back' });
    world.open({ held: [held] });
    expect(world.sent('hello').at(-1)).toMatchObject({
      dial: 2,
      frame: 1,
      instance: expect.not.stringMatching(/^instance$/),
      resume: { session: 'session-1', left: 'instance' },
    });
    expect(world.sent('release')).toMatchObject([{ name: 'n', fencingToken: TOKEN }]);
    expect(world.sent('acquire').at(-1)).toMatchObject({ name: 'm' });
  });
});

describe('the page that is loaded next', () => {
  test('R10 R7 resumes as another instance with new frames, repeats the request by its name, and has the token from its own sending', () => {
    const { world: first, key: left } = holding();
    const { world, claim } = next(leave(first).record);
    const key = claim('n');
    expect(key).toBe(left);
    world.open({ held: [held] });
    expect(world.sent('hello')).toMatchObject([
      {
        frame: 1,
        dial: 1,
        instance: 'the-second-instance',
        resume: { session: 'session-1', secret: 'secret-1', left: 'instance' },
        journal: 'journal',
        tokenMark: TOKEN,
        windowMs: 30_000,
      },
    ]);
    expect(world.lease(key)).toBeNull();
    expect(world.sent('acquire')).toMatchObject([{ request: left, name: 'n', inFrame: 2 }]);
    world.grant(key, { fencingToken: TOKEN });
    expect(world.lease(key)).toMatchObject({ status: 'held', fencingToken: TOKEN });
    expect(world.sent('release')).toEqual([]);
  });

  test('what it asks besides has ids that no earlier instance can have used', () => {
    const { world: first } = holding();
    const { world, claim } = next(leave(first).record);
    const keys = [claim('n'), claim('n'), claim('other')];
    expect(new Set([...keys, requestId('key-1'), requestId('1'), requestId('2')]).size).toBe(5);
    world.open({ held: [held] });
    keys.slice(0, 1).forEach((key) => world.grant(key, { fencingToken: TOKEN }));
    world.do({
      kind: 'set-state',
      key: keys[0] ?? requestId(''),
      reference: reference(1),
      value: 1,
      ifVersion: undefined,
    });
    expect(world.sent('setState')).toMatchObject([{ request: expect.stringMatching(/^#instance\.\d+$/) }]);
  });

  test('what nobody asks for within 2 s of the welcome is given back: a lease by its token, a claim by its id', () => {
    const { world: first, waits } = holding();
    const { world } = next(leave(first).record);
    world.do({ kind: 'ready', reference: reference(1) });
    world.open({ held: [held] });
    world.pass(1_999);
    expect([world.sent('release'), world.sent('cancel')]).toEqual([[], []]);
    world.pass(2);
    expect(world.sent('release')).toMatchObject([{ name: 'n', fencingToken: TOKEN }]);
    expect(world.sent('cancel')).toMatchObject([{ request: waits }]);
    // From here on the name is asked for anew.
    expect(world.core.keyFor(leaseName('m'))).not.toBe(waits);
  });

  test('a claim that is granted before anybody asks for it waits to be asked for, and is given back by its token', () => {
    const { world: first, waits } = holding();
    const { world } = next(leave(first).record);
    world.do({ kind: 'ready', reference: reference(1) });
    world.open({ held: [held] });
    world.say({
      type: 'granted',
      request: waits,
      frame: 1 as never,
      ...held,
      name: leaseName('m'),
      fencingToken: fencingToken(102),
    });
    expect(world.sent('release')).toEqual([]);
    world.pass(2_001);
    expect(world.sent('release').map(({ fencingToken: token }) => token)).toEqual([TOKEN, 102]);
    expect(world.sent('cancel')).toEqual([]);
  });

  test.each(['in-use', 'unknown-session'] as const)(
    'S1 with a session of its own (%s) it has nothing of the first, gives nothing back and stands anew',
    (note) => {
      const { world: first } = holding();
      const { world, claim } = next(leave(first).record);
      const key = claim('n');
      world.open({ resumed: false, note, session: 'another' as never, secret: 'its own' as never, held: [] });
      world.pass(3_000);
      expect([world.sent('release'), world.sent('cancel')]).toEqual([[], []]);
      expect(world.sent('acquire')).toMatchObject([{ request: key }]);
      expect(world.lease(key)).toBeNull();
      expect(world.core.keyFor(leaseName('m'))).not.toBe(requestId('key-2'));
    },
  );

  test('P-22 in a quiet time it keeps nothing that it did not believe in all along', () => {
    const { world: first } = holding();
    const { world } = next(leave(first).record);
    world.do({ kind: 'ready', reference: reference(1) });
    world.open({ held: [held], quietMs: durationMs(9_000) });
    expect(world.sent('release')).toMatchObject([{ fencingToken: TOKEN }]);
  });

  test('closing at once gives back what it was left and has not asked for', () => {
    const { world: first, waits } = holding();
    const { world } = next(leave(first).record);
    world.do({ kind: 'ready', reference: reference(1) });
    world.open({ held: [held] });
    world.do({ kind: 'close', keep: [] });
    expect(world.sent('release')).toMatchObject([{ fencingToken: TOKEN }]);
    expect(world.sent('cancel')).toMatchObject([{ request: waits }]);
  });

  test('is loaded again before it has asked: it leaves all that it was left', () => {
    const { world: first } = holding();
    const { record } = leave(first);
    const { world } = next(record);
    world.do({ kind: 'ready', reference: reference(1) });
    world.open({ held: [held] });
    expect(world.core.record()?.asked).toEqual(record.asked);
  });
});
