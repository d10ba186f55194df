import { describe, expect, test } from 'vitest';
import { frameNumber, journalId, requestId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { reference } from '../../../../client/core/types.ts';
import { scripted, type Scripted } from '../../../support/sim/scripted.ts';

const ping = (world: Scripted, fields: { nextMs?: number; frame?: number; ping?: number } = {}) =>
  world.say({
    type: 'ping',
    ping: fields.ping ?? 1,
    nextMs: durationMs(fields.nextMs ?? 500),
    frame: frameNumber(fields.frame ?? 1),
  });
const error = (code: string, retryable = false, message = code) =>
  ({ type: 'error', code, message, retryable }) as const;

function waiting(settings: Parameters<typeof scripted>[0] = {}) {
  const world = scripted(settings);
  const key = world.acquire('n', { ttlMs: durationMs(3_000) });
  world.open();
  world.say({ type: 'queued', request: key, position: 0, behind: 'other', holder: 'tab 2' });
  return { world, key };
}

describe('dialling', () => {
  test('nothing is dialled before something is wanted', () => {
    const world = scripted();
    expect(world.core.nextWake()).toBeNull();
    expect(world.do({ kind: 'wake' })).toEqual([]);
    expect(world.core.status).toBe('idle');
  });

  test('R9 hello is alone and first on its socket; nothing else is said before the last part of the welcome', () => {
    const world = scripted();
    world.acquire('n');
    world.connect();
    expect(world.of('send')).toHaveLength(1);
    world.welcome({ more: true });
    world.acquire('m');
    expect(world.of('send')).toHaveLength(1);
    world.welcome();
    expect(world.sent('acquire').map(({ name, inFrame }) => [name, inFrame])).toEqual([
      ['n', 2],
      ['m', 2],
    ]);
  });

  test('R9 frames are numbered over all sockets, dials rise, and nothing of an abandoned socket is heard', () => {
    const { world, key } = waiting();
    const old = world.of('dial').at(-1)?.dial;
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open();
    const frames = [...world.sent('hello'), ...world.sent('acquire')].map(({ inFrame }) => inFrame);
    expect(frames).toEqual([1, 3, 2, 4]);
    expect(world.sent('hello').map(({ dial }) => dial)).toEqual([1, 2]);
    if (old === undefined) throw new Error('no dial');
    world.do({ kind: 'socket-frame', dial: old, messages: [{ type: 'gone', request: key }] });
    world.do({ kind: 'socket-closed', dial: old, closeCode: 1006, reason: '' });
    expect(world.sent('acquire')).toHaveLength(2);
    expect(world.core.status).toBe('open');
  });

  test('a session is resumed with its secret, and what was unanswered is said again in order', () => {
    const world = scripted();
    const first = world.acquire('n');
    world.open();
    world.grant(first);
    world.do({ kind: 'set-state', key: first, reference: reference(1), value: 1, ifVersion: undefined });
    const second = world.acquire('m');
    world.do({ kind: 'list', reference: reference(2), name: undefined, prefix: '', after: '', limit: 10 });
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open({
      held: [{ name: 'n', fencingToken: 101, leftMs: 20_000, ttlMs: 30_000, ceilingLeftMs: 9e6 }] as never,
    });
    expect(world.sent('hello').at(-1)).toMatchObject({
      resume: { session: 'session-1', secret: 'secret-1' },
      journal: 'journal',
      tokenMark: 101,
      windowMs: 30_000,
    });
    const last = world
      .of('send')
      .at(-1)
      ?.messages.map((message) => [message.type, 'request' in message ? message.request : '']);
    expect(last).toEqual([
      ['setState', '#1'],
      ['acquire', second],
      ['list', '#2'],
    ]);
  });

  test('a dial that gets no answer in connectTimeoutMs is given up, credential and welcome included', () => {
    const world = scripted({ connectTimeoutMs: durationMs(700) });
    world.acquire('n');
    world.pass(699);
    expect(world.core.status).toBe('connecting');
    world.pass(1);
    expect(world.statuses()).toEqual(['connecting', 'backing-off']);
    world.until(() => world.core.status === 'connecting');
    world.connect();
    world.pass(700);
    expect(world.core.status).toBe('backing-off');
    expect(world.of('status').at(-1)?.failure).toMatchObject({ code: 'unavailable', retryable: true });
  });

  test('a credential that cannot be had is tried again, and said', () => {
    const world = scripted();
    world.acquire('n');
    world.do({ kind: 'credential-failed', dial: 1 as never, cause: new Error('fetch failed') });
    expect(world.core.status).toBe('backing-off');
    expect(world.of('status').at(-1)?.failure?.message).toContain('fetch failed');
    world.until(() => world.core.status === 'connecting');
    // One warning for all in a row.
    world.do({ kind: 'credential-failed', dial: 2 as never, cause: new Error('fetch failed') });
    const warning = { kind: 'warning', code: 'unavailable', text: 'no credential: Error: fetch failed' };
    expect(world.of('warning')).toEqual([warning]);
    world.until(() => world.core.status === 'connecting');
    world.open();
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.do({ kind: 'credential-failed', dial: 4 as never, cause: new Error('fetch failed') });
    expect(world.of('warning')).toEqual([warning, warning]);
  });

  test('a credential that does not come in time is named as what failed', () => {
    const world = scripted({ connectTimeoutMs: durationMs(700) });
    world.acquire('n');
    world.pass(700);
    expect(world.of('status').at(-1)?.failure?.message).toBe('no credential in time');
  });

  test('`unauthorized` is terminal after one more try with a fresh credential', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.connect();
    world.say(error('unauthorized'));
    expect(world.of('ask-credential')).toHaveLength(2);
    world.connect();
    world.say(error('unauthorized', false, 'the credential is over'));
    expect(world.core.status).toBe('refused');
    expect(world.claim(key)).toMatchObject({
      failure: { code: 'refused', cause: { code: 'unauthorized', message: 'the credential is over' } },
    });
    expect(world.core.nextWake()).toBeNull();
  });

  test.each(['version', 'origin-not-allowed', 'host-not-allowed', 'bad-token'])(
    'S10 `%s` is terminal at once, says why, and loses what is held',
    (code) => {
      const world = scripted();
      const key = world.acquire('n');
      world.open();
      world.grant(key);
      world.drop();
      world.until(() => world.core.status === 'connecting');
      world.connect();
      expect(world.lease(key)?.status).toBe('held');
      world.say(error(code));
      expect(world.core.status).toBe('refused');
      expect(world.news(key)).toEqual(['lost unauthorized']);
      const late = world.acquire('m');
      expect(world.claim(late)).toMatchObject({ failure: { code: 'refused', cause: { code } } });
    },
  );

  test('a refusal that only its close code tells counts the same', () => {
    const world = scripted();
    world.acquire('n');
    world.connect();
    world.drop(4403, 'start it with --origin https://here');
    expect(world.core.status).toBe('refused');
    expect(world.of('status').at(-1)?.failure).toMatchObject({
      code: 'origin-not-allowed',
      message: 'start it with --origin https://here',
    });
  });

  test('a session that ended, or was replaced, is only a reason to dial again', () => {
    for (const closeCode of [4410, 4409, 1001, 1006, 4999]) {
      const { world, key } = waiting();
      world.drop(closeCode);
      expect(world.core.status).toBe('backing-off');
      world.until(() => world.core.status === 'connecting');
      world.open();
      expect(world.sent('acquire').map(({ request }) => request)).toEqual([key, key]);
    }
  });

  test('`draining` is left at once, for as long as it asks', () => {
    const { world } = waiting({ chance: () => 0 });
    world.say({ type: 'draining', retryAfterMs: durationMs(1_500) });
    const left = world.now();
    world.until(() => world.core.status === 'connecting');
    expect(world.now() - left).toBe(1_500);
  });
});

describe('half-open sockets', () => {
  test('R21 a request that nothing shows to be read within 1 s makes the client dial anew at once', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.pass(999);
    expect(world.of('abandon')).toHaveLength(0);
    world.pass(1);
    expect(world.of('abandon')).toHaveLength(1);
    expect(world.core.status).toBe('connecting');
    world.open();
    expect(world.sent('acquire').map(({ request }) => request)).toEqual([key, key]);
  });

  test('R21 a ping that names its frame shows that a request was read: a slow disk is no dead socket', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.pass(500);
    ping(world, { frame: 2 });
    world.pass(500);
    ping(world, { frame: 3, ping: 2 });
    world.pass(900);
    expect(world.of('abandon')).toHaveLength(0);
    world.grant(key, { frame: frameNumber(4) });
    expect(world.claim(key)?.kind).toBe('granted');
  });

  test('R21 a frame that two pings in a row do not name means that the way up is dead, waiters too', () => {
    const { world } = waiting();
    for (let count = 1; count <= 2; count += 1) {
      world.pass(400);
      ping(world, { frame: 2, ping: count });
    }
    expect(world.of('abandon')).toHaveLength(0);
    world.pass(400);
    ping(world, { frame: 2, ping: 3 });
    expect(world.of('abandon')).toHaveLength(1);
  });

  test('F35 F26 a waiter that hears nothing of the pings that it is owed dials anew after 1.5 s, or two of them', () => {
    const { world } = waiting();
    // A window of 3 s is owed a ping each 500 ms, though none has come yet.
    world.pass(1_499);
    expect(world.of('abandon')).toHaveLength(0);
    world.pass(1);
    expect(world.of('abandon')).toHaveLength(1);
    expect(world.core.status).toBe('connecting');
  });

  test('F35 after a sleep the socket is not trusted, open as it looks', () => {
    const { world } = waiting();
    ping(world, { frame: 2 });
    world.sleep(60_000);
    world.do({ kind: 'wake' });
    world.pass(999);
    expect(world.of('abandon')).toHaveLength(0);
    world.pass(1);
    expect(world.of('abandon')).toHaveLength(1);
  });

  test('R12 a socket that is heard of within 1 s after a step of the wall clock is kept', () => {
    const { world } = waiting();
    world.step(3_600_000);
    world.do({ kind: 'wake' });
    world.pass(400);
    ping(world, { frame: 2 });
    world.pass(1_400);
    expect(world.of('abandon')).toHaveLength(0);
  });

  test('R27 a pong carries monotonic time', () => {
    const { world } = waiting();
    ping(world, { ping: 9 });
    expect(world.sent('pong')).toMatchObject([{ ping: 9, clockMs: world.now() }]);
  });
});

describe('journals', () => {
  test('R16 another journal means that leases are lost; both ids are named, and claims stand again', () => {
    const world = scripted();
    const held = world.acquire('n');
    world.open();
    world.grant(held);
    const claim = world.acquire('m');
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open({ journal: journalId('another'), resumed: false });
    expect(world.news(held)).toEqual(['lost journal-changed']);
    expect(world.of('warning').at(-1)).toMatchObject({
      code: 'journal-changed',
      text: expect.stringMatching(/another.*journal/),
    });
    expect(world.sent('acquire').at(-1)).toMatchObject({ request: claim });
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open({ journal: journalId('another') });
    // What was out under the other journal is no window of this one.
    expect(world.sent('hello').at(-1)).toMatchObject({ journal: 'another', windowMs: 0 });
    expect(world.core.status).toBe('open');
  });

  test('R16 journals that alternate end in `refused`', () => {
    const { world, key } = waiting();
    for (const journal of ['another', 'journal']) {
      world.drop();
      world.until(() => world.core.status === 'connecting');
      world.open({ journal: journalId(journal) });
    }
    expect(world.core.status).toBe('refused');
    expect(world.claim(key)).toMatchObject({
      failure: { code: 'refused', cause: { code: 'journal-changed', message: expect.stringContaining('another') } },
    });
  });
});

describe('rest and end', () => {
  test('with nothing held or asked the socket is closed after idleMs, with a bye, and dialled again at the next use', () => {
    const world = scripted({ idleMs: durationMs(400) });
    const key = world.acquire('n');
    world.open();
    world.grant(key);
    world.do({ kind: 'release', key, reference: reference(1), handOver: false });
    expect(world.core.idle).toBe(false);
    world.say({ type: 'released', request: requestId('#1'), released: true });
    expect(world.core.idle).toBe(true);
    world.pass(399);
    expect(world.sent('bye')).toHaveLength(0);
    world.pass(1);
    expect(world.sent('bye')).toHaveLength(1);
    expect(world.core.status).toBe('idle');
    expect(world.core.nextWake()).toBeNull();
    world.acquire('n');
    expect(world.core.status).toBe('connecting');
  });

  test('a dial that nobody wants any more is stopped', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.do({ kind: 'withdraw', key });
    world.pass(40_000);
    expect(world.core.status).toBe('idle');
    expect(world.core.nextWake()).toBeNull();
  });

  test('close: claims end `closed`, bare leases are given back, those with work go on being renewed', () => {
    const world = scripted({ chance: () => 0 });
    const [bare, worked] = [world.acquire('n'), world.acquire('m')];
    world.open();
    world.grant(bare, { fencingToken: 1 as never });
    world.grant(worked, { fencingToken: 2 as never });
    const claim = world.acquire('o');
    world.do({ kind: 'close', keep: [worked] });
    expect(world.claim(claim)).toMatchObject({ failure: { code: 'closed' } });
    expect(world.news(bare)).toEqual(['released']);
    expect(world.sent('release').map(({ fencingToken }) => fencingToken)).toEqual([1]);
    expect(world.sent('cancel').map(({ request }) => request)).toEqual([claim]);
    const late = world.acquire('p');
    expect(world.claim(late)).toMatchObject({ failure: { code: 'closed' } });
    world.say(
      { type: 'released', request: requestId('#1'), released: true },
      { ...error('cancelled'), request: claim },
    );
    world.pass(20_000);
    expect(world.sent('renew').at(-1)?.leases).toMatchObject([{ fencingToken: 2 }]);
  });

  test('R13 close-now: what is held is lost first, then given back, then comes the bye, all in one frame', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.open();
    world.grant(key);
    const effects = world.do({ kind: 'close-now' });
    const kinds = effects.map((effect) =>
      effect.kind === 'send' ? effect.messages.map(({ type }) => type).join(' ') : effect.kind,
    );
    expect(kinds).toEqual(['lease', 'release bye', 'abandon', 'status']);
    // Nobody comes back: the coordinator keeps no empty session for 2 s.
    expect(world.sent('bye')).toMatchObject([{ keepMs: 0 }]);
    expect(world.news(key)).toEqual(['lost closed']);
    expect(world.core.status).toBe('closed');
    expect(world.core.nextWake()).toBeNull();
  });

  test('S10 close-now without a network settles all that is open', () => {
    const world = scripted();
    const key = world.acquire('n');
    world.do({ kind: 'ready', reference: reference(1) });
    world.do({ kind: 'list', reference: reference(2), name: undefined, prefix: '', after: '', limit: 10 });
    world.do({ kind: 'close-now' });
    expect(world.claim(key)).toMatchObject({ failure: { code: 'closed' } });
    expect([1, 2].map((one) => world.outcome(one))).toMatchObject([
      { failure: { code: 'closed' } },
      { failure: { code: 'closed' } },
    ]);
  });
});
