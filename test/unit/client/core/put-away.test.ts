import { describe, expect, test } from 'vitest';
import { reference, type Effect } from '../../../../client/core/types.ts';
import { leaseName, requestId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { scripted, type Scripted } from '../../../support/sim/scripted.ts';

const putAway = (world: Scripted) => world.do({ kind: 'put-away' }, true);
const bringBack = (world: Scripted) => world.do({ kind: 'brought-back' });
const write = (world: Scripted, key: ReturnType<Scripted['acquire']>, mine: number) =>
  world.do({ kind: 'set-state', key, reference: reference(mine), value: mine, ifVersion: undefined });
/** All that was said, in order, a frame each. */
const said = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'send' ? [effect.messages.map(({ type }) => type)] : []));

function holding() {
  const world = scripted({ chance: () => 0 });
  const key = world.acquire('n');
  world.open();
  world.grant(key);
  return { world, key };
}

/** Nothing that time or a late event brings makes it dial. */
function staysAway(world: Scripted, dials = world.of('ask-credential').length): void {
  world.pass(60_000);
  world.do({ kind: 'wake' });
  world.drop(1001);
  expect(world.core.status).toBe('idle');
  expect(world.of('ask-credential')).toHaveLength(dials);
  expect(world.of('dial').length).toBeLessThanOrEqual(dials);
}

describe('put away', () => {
  test('R13 belief ends before the word leaves; releases go before the farewell, at once, and the socket is left', () => {
    const { world, key } = holding();
    const effects = putAway(world);
    expect(effects.map(({ kind }) => kind)).toEqual(['lease', 'send', 'abandon', 'status']);
    expect(world.news(key)).toEqual(['lost closed']);
    expect(said(effects)).toEqual([['release', 'bye']]);
    // Itself may come back soon: its session is kept for as long as the coordinator does by itself.
    expect(world.sent('bye')[0]).not.toHaveProperty('keepMs');
    expect(world.sent('release')).toMatchObject([{ name: 'n', fencingToken: 101 }]);
    expect(world.core.status).toBe('idle');
    staysAway(world);
  });

  test('what was still to be said in this tick goes first', () => {
    const { world } = holding();
    world.do({ kind: 'watch', reference: reference(1), name: leaseName('n') }, true);
    expect(said(putAway(world))).toEqual([['watch', 'release', 'bye']]);
  });

  test('in one frame or in as few as its size allows, none is left behind', () => {
    const world = scripted();
    const names = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(200, 'n'));
    const keys = names.map((name) => world.acquire(name));
    world.open({ frameBytesMax: 1_000 });
    keys.forEach((key, index) => world.grant(key, { fencingToken: (500 + index) as never }));
    const frames = said(putAway(world));
    expect(frames.flat().filter((type) => type === 'release')).toHaveLength(20);
    expect(frames.length).toBeGreaterThan(1);
    expect(frames.at(-1)?.at(-1)).toBe('bye');
  });

  test('a grant that crosses the farewell closes no name: claims are cancelled before it', () => {
    const { world } = holding();
    const queued = world.acquire('m');
    const effects = putAway(world);
    expect(said(effects)).toEqual([['cancel', 'release', 'bye']]);
    expect(world.sent('cancel')).toMatchObject([{ request: queued }]);
    expect(world.claim(queued)).toBeUndefined();
  });

  test('a release whose write has no answer yet does not wait for it; the write goes first', () => {
    const { world, key } = holding();
    write(world, key, 1);
    write(world, key, 2);
    world.do({ kind: 'release', key, reference: reference(3), handOver: false });
    expect(said(putAway(world))).toEqual([['setState', 'release', 'bye']]);
    expect(world.sent('setState').map(({ value }) => value)).toEqual([1, 2]);
    expect(world.outcome(3)).toBeUndefined();
    world.pass(30_000);
    expect(world.outcome(3)).toEqual({ kind: 'released', released: true, code: undefined });
  });

  test('writes and renewals under way fail with the loss, those that wait too', () => {
    const { world, key } = holding();
    write(world, key, 1);
    write(world, key, 2);
    world.do({ kind: 'renew', key, reference: reference(3) });
    putAway(world);
    expect([1, 2, 3].map((one) => world.outcome(one))).toMatchObject([
      { failure: { code: 'closed' } },
      { failure: { code: 'closed' } },
      { failure: { code: 'closed' } },
    ]);
  });

  test('a hand-over under way fails with the loss, and the lease is given back behind it', () => {
    const { world, key } = holding();
    world.do({ kind: 'release', key, reference: reference(1), handOver: true });
    expect(said(putAway(world))).toEqual([['release', 'bye']]);
    expect(world.sent('release').map(({ handOver }) => handOver)).toEqual([true, undefined]);
    expect(world.outcome(1)).toMatchObject({ failure: { code: 'closed' } });
    expect(world.news(key)).toEqual(['lost closed']);
  });

  test('a lease that was granted in the same turn is given back as well', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.grant(key);
    expect(world.claim(key)).toMatchObject({ kind: 'granted' });
    expect(said(putAway(world))).toEqual([['release', 'bye']]);
  });

  test('a second time it says nothing more', () => {
    const { world } = holding();
    putAway(world);
    expect(putAway(world)).toEqual([]);
    staysAway(world);
  });

  test.each<[string, (world: Scripted) => void]>([
    ['the credential is asked', () => undefined],
    ['it dials', (world) => world.connect()],
    [
      'it pauses',
      (world) => {
        world.connect();
        world.drop();
      },
    ],
  ])('while %s it dials no more, and what comes late is not heard', (_, act) => {
    const world = scripted();
    world.acquire('n');
    act(world);
    putAway(world);
    expect(world.core.status).toBe('idle');
    const [{ dial } = { dial: undefined as never }] = world.of('ask-credential');
    const before = world.effects.length;
    world.do({ kind: 'credential', dial, credential: 'late' });
    world.do({ kind: 'socket-opened', dial });
    world.do({ kind: 'credential-failed', dial, cause: 'late' });
    expect(world.effects).toHaveLength(before);
    world.pass(60_000);
    expect(world.of('ask-credential')).toHaveLength(1);
    bringBack(world);
    expect(world.of('ask-credential')).toHaveLength(2);
  });

  test('a pause that is over in that very call asks for no credential', () => {
    const world = scripted();
    world.acquire('n');
    world.connect();
    world.drop();
    world.stall(60_000);
    putAway(world);
    expect(world.of('ask-credential')).toHaveLength(1);
  });

  test('a lease of a client that has no connection is lost all the same; it is given back on the next one', () => {
    const { world, key } = holding();
    world.drop();
    putAway(world);
    expect(world.news(key)).toEqual(['lost closed']);
    expect(world.sent('bye')).toEqual([]);
    bringBack(world);
    world.open({
      held: [{ name: 'n', fencingToken: 101, leftMs: 20_000, ttlMs: 30_000, ceilingLeftMs: 9e6 }] as never,
    });
    expect(world.sent('release')).toMatchObject([{ fencingToken: 101 }]);
    expect(world.news(key)).toEqual(['lost closed']);
  });

  test('of a refused or closed client it changes nothing', () => {
    const refused = scripted();
    refused.acquire('n');
    refused.connect();
    refused.say({ type: 'error', code: 'version', message: 'too old', retryable: false });
    expect(putAway(refused)).toEqual([]);
    expect(bringBack(refused)).toEqual([]);
    expect(refused.core.status).toBe('refused');
    const closed = scripted();
    closed.do({ kind: 'close-now' });
    expect(putAway(closed)).toEqual([]);
    expect(bringBack(closed)).toEqual([]);
    expect(closed.core.status).toBe('closed');
  });

  test('S10 a client that is closed while away closes, and those that waited hear so', () => {
    const { world } = holding();
    const claim = world.acquire('m');
    putAway(world);
    world.do({ kind: 'close', keep: [] });
    expect(world.claim(claim)).toMatchObject({ failure: { code: 'closed' } });
    world.do({ kind: 'close-now' });
    expect(world.core.status).toBe('closed');
    expect(world.core.nextWake()).toBeNull();
  });

  test('S10 a wait that is over meanwhile ends as a wait does', () => {
    const { world } = holding();
    const claim = world.acquire('m', { waitMs: durationMs(5_000) });
    putAway(world);
    world.pass(5_000);
    expect(world.claim(claim)).toMatchObject({ failure: { code: 'wait-timeout' } });
    expect(world.core.status).toBe('idle');
  });

  test('a wait that is over while everything stood still ends at the return, and is not said again', () => {
    const { world } = holding();
    const claim = world.acquire('m', { waitMs: durationMs(5_000) });
    putAway(world);
    world.stall(60_000);
    bringBack(world);
    expect(world.claim(claim)).toMatchObject({ failure: { code: 'wait-timeout' } });
    expect(world.sent('acquire').map(({ name }) => name)).toEqual(['n', 'm']);
  });

  test('S10 what is asked meanwhile waits for the return, or is given up', () => {
    const world = scripted();
    putAway(world);
    world.do({ kind: 'ready', reference: reference(1) });
    world.do({ kind: 'list', reference: reference(2), name: undefined, prefix: '', after: '', limit: 1 });
    const key = world.acquire('n');
    world.pass(60_000);
    expect(world.of('ask-credential')).toEqual([]);
    world.do({ kind: 'give-up', reference: reference(2), afterMs: 60_000 });
    expect(world.outcome(2)).toMatchObject({ failure: { code: 'unavailable' } });
    bringBack(world);
    world.open();
    expect(world.outcome(1)).toEqual({ kind: 'done' });
    expect(world.sent('list')).toEqual([]);
    expect(world.sent('acquire')).toMatchObject([{ request: key }]);
  });
});

describe('brought back', () => {
  test('what stayed asked is said again under the same ids, on a new socket, in the order of the calls', () => {
    const { world } = holding();
    world.do({ kind: 'watch', reference: reference(1), name: leaseName('n') });
    const queued = world.acquire('m');
    world.say({ type: 'queued', request: queued, position: 0, behind: 'other' });
    putAway(world);
    world.pass(5_000);
    bringBack(world);
    const before = world.effects.length;
    world.open({ resumed: false, session: 'session-2' as never, secret: 'secret-2' as never });
    expect(said(world.effects.slice(before))).toEqual([['hello'], ['watch', 'acquire', 'release']]);
    expect(world.sent('watch').map(({ request }) => request)).toEqual(['#1', '#1']);
    expect(world.sent('acquire').map(({ request }) => request)).toEqual(['key-1', queued, queued]);
    world.say({ type: 'view', request: requestId('#1'), views: [{ name: leaseName('n'), holders: [], queue: 1 }] });
    expect(world.of('view')).toHaveLength(1);
    world.grant(queued);
    expect(world.lease(queued)?.status).toBe('held');
  });

  test('without having been put away, or twice, it does nothing', () => {
    const { world, key } = holding();
    expect(bringBack(world)).toEqual([]);
    putAway(world);
    world.acquire('m');
    bringBack(world);
    expect(bringBack(world)).toEqual([]);
    expect(world.of('ask-credential')).toHaveLength(2);
    expect(world.news(key)).toEqual(['lost closed']);
  });

  test('with nothing asked it dials nothing', () => {
    const world = scripted();
    putAway(world);
    bringBack(world);
    world.pass(60_000);
    expect(world.of('ask-credential')).toEqual([]);
  });

  test('a return that leads to no coordinator is paced like any other failure', () => {
    const world = scripted({ chance: () => 1 });
    world.acquire('n');
    for (let round = 0; round < 3; round += 1) {
      world.connect();
      world.drop();
      putAway(world);
      bringBack(world);
    }
    world.connect();
    world.drop();
    expect(world.core.status).toBe('backing-off');
    expect((world.core.nextWake() ?? 0) - world.now()).toBeGreaterThan(500);
  });
});

test('S10 closing at once says writes, releases and the farewell in one frame, though the writes have no answer', () => {
  const { world, key } = holding();
  write(world, key, 1);
  write(world, key, 2);
  world.do({ kind: 'close', keep: [] });
  expect(said(world.do({ kind: 'close-now' }))).toEqual([['setState', 'release', 'bye']]);
});
