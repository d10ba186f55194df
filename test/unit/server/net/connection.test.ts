import { describe, expect, test } from 'vitest';
import { LIMITS_DEFAULT, type Limits } from '../../../../server/core/limits.ts';
import { socketId, type Input } from '../../../../server/core/core-types.ts';
import type { Authenticate } from '../../../../server/net/auth-port.ts';
import { Connection } from '../../../../server/net/connection.ts';
import type { CoordinatorMessage } from '../../../../shared/frames.ts';
import { frameNumber, journalId, requestId, sessionId } from '../../../../shared/ids.ts';
import { handLoop } from './support/hand-loop.ts';

const welcome: CoordinatorMessage = {
  type: 'welcome',
  frame: frameNumber(1),
  session: sessionId('s'),
  resumed: false,
  journal: journalId('j'),
  protocol: 1,
  held: [],
  more: false,
  stateBytesMax: 1,
  frameBytesMax: 1,
};
/** Without a request; its message has so many bytes. */
const unasked = (bytes: number) =>
  ({ type: 'error', code: 'internal', message: 'x'.repeat(bytes), retryable: false }) as const;
const hello = { type: 'hello', frame: 1, protocolMin: 1, protocolMax: 1, instance: 'i', dial: 1 };

function rig(options: { limits?: Partial<Limits>; auth?: Authenticate } = {}) {
  const loop = handLoop();
  const log: string[] = [];
  const sent: unknown[] = [];
  const inputs: Input[] = [];
  const warned: string[] = [];
  const reasons: string[] = [];
  let buffered = 0;
  let written: () => void = () => undefined;
  const socket = {
    send: (text: string, done: () => void) => {
      sent.push(JSON.parse(text));
      written = done;
    },
    ping: () => undefined,
    close: (code: number, reason: string) => {
      log.push(`close ${code}`);
      reasons.push(reason);
    },
    terminate: () => void log.push('terminate'),
    pause: () => void log.push('pause'),
    resume: () => void log.push('resume'),
    get bufferedBytes() {
      return buffered;
    },
  };
  const connection = new Connection(socketId(1), '127.0.0.1', socket, {
    loop,
    limits: { ...LIMITS_DEFAULT, ...options.limits },
    auth: options.auth ?? null,
    input: (input) => void inputs.push(input),
    warn: (_, text) => void warned.push(text),
    welcomed: () => null,
    gone: () => void log.push('gone'),
  });
  const receive = (message: unknown): void => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    connection.message(new TextEncoder().encode(text), () => text, false);
  };
  const open = (): void => {
    receive(hello);
    connection.say([welcome]);
    sent.length = 0;
  };
  const buffer = (bytes: number): void => void (buffered = bytes);
  const flush = (left = 0): void => {
    buffered = left;
    written();
  };
  return { loop, log, sent, inputs, warned, reasons, connection, receive, open, buffer, flush };
}

describe('S11 a connection', () => {
  test('S11 no hello within 5 s closes it, and a peer that does not answer is cut 1 s later', () => {
    const { loop, log, sent } = rig();
    loop.pass(4_999);
    expect(log).toEqual([]);
    loop.pass(1);
    expect(sent).toMatchObject([{ type: 'error', code: 'hello-timeout', retryable: true }]);
    expect(log).toEqual(['close 4408']);
    loop.pass(1_000);
    expect(log).toEqual(['close 4408', 'terminate']);
  });

  test('S11 a hello is passed on once; messages behind it in the same frame go with it', () => {
    const { inputs, receive } = rig();
    receive([hello, { type: 'cancel', request: 'r' }]);
    expect(inputs).toMatchObject([
      { kind: 'hello', resumeHash: null, rest: [] },
      { kind: 'frame', frame: 1, messages: [{ type: 'cancel' }], goesOn: true },
    ]);
  });

  test('S11 a secret is passed on as a hash only', () => {
    const { inputs, receive } = rig();
    receive({ ...hello, resume: { session: 's', secret: 'hush' } });
    const [input] = inputs;
    expect(input?.kind === 'hello' && input.resumeHash).toMatch(/^[\w-]{43}$/);
  });

  test('S11 before welcome 16 KiB are read, one byte more is not; after it a whole frame is', () => {
    const padded = (bytes: number): string =>
      JSON.stringify({ ...hello, pad: '' }).replace(
        '"pad":""',
        `"pad":"${'x'.repeat(bytes - JSON.stringify({ ...hello, pad: '' }).length)}"`,
      );
    const at = rig();
    at.receive(padded(16_384));
    expect(at.inputs).toHaveLength(1);
    const above = rig();
    above.receive(padded(16_385));
    expect(above.log).toEqual(['close 1009']);
    expect(above.sent).toMatchObject([
      {
        code: 'frame-too-large',
        message: expect.stringContaining('16385 bytes; allowed are at most 16384') as unknown,
      },
    ]);
    const welcomed = rig();
    welcomed.open();
    welcomed.receive(JSON.stringify({ type: 'pong', frame: 2, ping: 1, clockMs: 1, pad: 'x'.repeat(20_000) }));
    expect(welcomed.inputs.at(-1)?.kind).toBe('frame');
  });

  test('S11 bytes of a message that is never finished count before welcome', () => {
    const { connection, log } = rig();
    connection.received(17_000);
    expect(log).toEqual([]);
    connection.received(500);
    expect(log).toEqual(['close 1009']);
  });

  test('S10 a bad message in a good frame is answered under its request; the others apply', () => {
    const { inputs, sent, receive, open } = rig();
    open();
    receive([
      { type: 'release', frame: 2, request: 'r1', name: 'a', fencingToken: 1 },
      { type: 'acquire', request: 'r2', name: 'a', ttlMs: 1 },
      { type: 'nothing', request: 'r3' },
      { ...hello },
    ]);
    expect(inputs.at(-1)).toMatchObject({ kind: 'frame', frame: 2, messages: [{ request: 'r1' }] });
    expect(sent).toMatchObject([
      [
        { type: 'error', request: 'r2', code: 'bad-request', param: 'ttlMs' },
        { type: 'error', request: 'r3', code: 'unknown-type' },
        { type: 'error', code: 'bad-request', param: 'type' },
      ],
    ]);
  });

  test('S9 a frame without any good message is passed on: its session was heard', () => {
    const { inputs, receive, open } = rig();
    open();
    receive({ type: 'nothing', frame: 5 });
    expect(inputs.at(-1)).toEqual({ kind: 'frame', socket: 1, frame: 5, messages: [], goesOn: false });
  });

  test('S11 what has no number, binary and a broken protocol end the socket and nothing else', () => {
    const broken = rig();
    broken.open();
    broken.receive('null');
    expect(broken.log).toEqual(['close 4400']);
    broken.receive({ type: 'pong', frame: 3, ping: 1, clockMs: 1 });
    expect(broken.inputs).toHaveLength(1);
    const binary = rig();
    binary.connection.message(new Uint8Array(1), () => '', true);
    expect(binary.log).toEqual(['close 1003']);
  });

  test('S11 the core hears of the end once, and only of sockets that it knows', () => {
    const known = rig();
    known.open();
    known.connection.closed();
    known.connection.closed();
    expect(known.inputs.filter((input) => input.kind === 'socket-closed')).toHaveLength(1);
    const unknown = rig();
    unknown.connection.closed();
    expect(unknown.inputs).toEqual([]);
    expect(unknown.log).toEqual(['gone']);
    unknown.loop.pass(10_000);
    expect(unknown.log).toEqual(['gone']);
  });
});

describe('S11 the credential', () => {
  test('S11 nothing is read while it is looked at, and what was read already waits its turn', async () => {
    let answer: (verdict: { ok: boolean }) => void = () => undefined;
    const { inputs, log, receive } = rig({ auth: () => new Promise((resolve) => (answer = resolve)) });
    receive({ ...hello, credential: 'c' });
    receive({ type: 'cancel', frame: 2, request: 'r' });
    expect(log).toEqual(['pause']);
    expect(inputs).toEqual([]);
    answer({ ok: true });
    await Promise.resolve();
    await Promise.resolve();
    expect(inputs.map((input) => input.kind)).toEqual(['hello', 'frame']);
    expect(log).toEqual(['pause', 'resume']);
  });

  test('S10 a wrong one is told 4401, one that cannot be looked at 4503, one that takes 10 s too', async () => {
    const outcomes: readonly (readonly [Authenticate, string])[] = [
      [() => Promise.resolve({ ok: false }), 'close 4401'],
      [() => Promise.reject(new Error('no answer')), 'close 4503'],
      [() => new Promise(() => undefined), 'close 4503'],
    ];
    for (const [auth, expected] of outcomes) {
      const { log, inputs, loop, receive } = rig({ auth });
      receive({ ...hello, credential: 'c' });
      await Promise.resolve();
      await Promise.resolve();
      loop.pass(10_000);
      expect(log).toContain(expected);
      expect(inputs).toEqual([]);
    }
  });
});

describe('S11 too much', () => {
  test('S11 a session over its rate is not read until it is under it again', () => {
    const { loop, log, receive, open } = rig({ limits: { messagesPerSecond: 100, messagesBurst: 10 } });
    open();
    for (let frame = 2; frame < 14; frame += 1) receive({ type: 'pong', frame, ping: 1, clockMs: 1 });
    expect(log.filter((entry) => entry === 'pause').length).toBeGreaterThan(0);
    expect(log).not.toContain('resume');
    loop.pass(200);
    expect(log.at(-1)).toBe('resume');
  });

  test.each(['control', 'pong'] as const)('S11 a flood of ten seconds is closed with its code: %s', (kind) => {
    const { loop, log, connection, open } = rig({ limits: { messagesPerSecond: 100, messagesBurst: 10 } });
    open();
    for (let passed = 0; passed < 11_000; passed += 100) {
      for (let pings = 0; pings < 20; pings += 1) connection[kind]();
      loop.pass(100);
    }
    expect(log).toContain('close 4429');
  });

  test('S11 a peer that does not read is first not read itself, then cut without a close', () => {
    const { log, connection, open, buffer, flush } = rig();
    open();
    buffer(1_048_500);
    connection.say([{ type: 'ping', ping: 1, nextMs: 1 as never, frame: frameNumber(1) }]);
    expect(log).toEqual([]);
    buffer(1_048_576);
    connection.control();
    expect(log).toEqual(['pause']);
    flush();
    expect(log).toEqual(['pause', 'resume']);
    buffer(2_097_152);
    connection.say([unasked(1_048_576)]);
    expect(log).toEqual(['pause', 'resume', 'pause']);
    connection.say([unasked(1_048_576)]);
    expect(log).toEqual(['pause', 'resume', 'pause', 'terminate']);
  });

  test('S11 a peer that is not read, since it does not read, is cut after 10 s', () => {
    const { loop, log, connection, open, buffer } = rig();
    open();
    buffer(1_048_576);
    connection.control();
    loop.pass(9_999);
    expect(log).toEqual(['pause']);
    loop.pass(1);
    expect(log).toEqual(['pause', 'terminate']);
  });

  test('S11 what is asked for is never cut for its size: it goes out in order, in frames of 64 KiB or one message', () => {
    const { log, sent, connection, open } = rig();
    open();
    const small = Array.from({ length: 3_000 }, (_, index) => ({ ...unasked(60), request: requestId(`r${index}`) }));
    connection.say([...small, { ...unasked(9_000_000), request: requestId('big') }, small[0] ?? unasked(0)]);
    const frames = sent as readonly (object | readonly object[])[]; // As `say` made them.
    expect(frames.flat()).toMatchObject([...small, { request: 'big' }, { request: 'r0' }]);
    const lengths = frames.map((frame) => JSON.stringify(frame).length);
    expect(Math.max(...lengths.filter((length) => length < 9_000_000))).toBeLessThanOrEqual(65_536);
    expect(log).toEqual([]);
  });

  test('S11 a peer that reads half of the bound each 10 s is not cut, one that reads less is', () => {
    for (const [bytes, isCut] of [
      [524_288, false],
      [524_287, true],
    ] as const) {
      const { loop, log, connection, open, buffer, flush } = rig();
      open();
      connection.say([unasked(bytes - JSON.stringify(unasked(0)).length)]);
      buffer(1_600_000);
      connection.control();
      loop.pass(5_000);
      flush(1_600_000 - bytes);
      loop.pass(5_000);
      expect(log, `${bytes} bytes`).toEqual(isCut ? ['pause', 'terminate'] : ['pause']);
      loop.pass(10_000);
      expect(log).toContain('terminate');
    }
  });

  test('S10 a close reason is the code, or the code and a sentence, cut at 123 bytes', () => {
    for (const [reason, expected] of [
      ['draining', 'draining'],
      ['It stops.', 'draining: It stops.'],
      ['ä'.repeat(100), `draining: ${'ä'.repeat(56)}`],
    ] as const) {
      const { connection, open, reasons } = rig();
      open();
      connection.close('draining', reason);
      expect(reasons).toEqual([expected]);
    }
  });

  test('S11 what waits is told before a close', () => {
    const { log, sent, connection, open, buffer } = rig();
    open();
    buffer(400_000);
    connection.say([{ ...unasked(10), request: requestId('r') }]);
    expect(sent).toEqual([]);
    connection.close('draining', 'bye');
    expect(sent).toMatchObject([{ request: 'r' }]);
    expect(log).toEqual(['close 1001']);
  });

  test('S11 a turn is given no more than its answers may wait; the rest follows in order, in later turns', () => {
    const { inputs, log, loop, receive, open } = rig();
    open();
    inputs.length = 0;
    const ask = (frame: number, count: number): object[] =>
      Array.from({ length: count }, (_, index) => ({ type: 'list', request: `${frame}-${index}`, name: 'a', frame }));
    receive([...ask(2, 40), { type: 'cancel', request: 'c' }]);
    receive(ask(3, 1));
    const told = () =>
      inputs.map((input) => (input.kind === 'frame' ? [input.frame, input.messages.length, input.goesOn] : input));
    expect(told()).toEqual([[2, 15, false]]);
    expect(log).toEqual(['pause']);
    loop.turn(1);
    expect(told().slice(1)).toEqual([[2, 15, true]]);
    loop.turn(1);
    expect(told().slice(2)).toEqual([
      [2, 11, true],
      [3, 1, false],
    ]);
    expect(log).toEqual(['pause', 'resume']);
  });

  test('S11 what was read is not handed on while its answers are not taken; at the end only what asks for none', () => {
    const { connection, inputs, loop, receive, open, buffer, flush } = rig();
    open();
    inputs.length = 0;
    const asked = Array.from({ length: 40 }, (_, index) => ({
      type: 'list',
      request: `${index}`,
      name: 'a',
      frame: 2,
    }));
    receive([...asked, { type: 'release', request: 'r', name: 'a', fencingToken: 1 }]);
    buffer(1_048_576);
    connection.control();
    for (let turns = 0; turns < 5; turns += 1) loop.turn(1);
    const told = () => inputs.filter((input) => input.kind !== 'congestion');
    expect(told()).toHaveLength(1);
    flush();
    expect(told()).toHaveLength(2);
    connection.closed();
    expect(told().slice(2)).toMatchObject([
      { kind: 'frame', messages: [{ type: 'release' }], goesOn: true },
      { kind: 'socket-closed' },
    ]);
  });

  test('S11 a frame is answered at most 16 listings; one name is no listing', () => {
    const { inputs, sent, loop, receive, open } = rig();
    open();
    receive(Array.from({ length: 20 }, (_, index) => ({ type: 'list', request: `r${index}`, frame: 2 })));
    for (let turns = 0; turns < 4; turns += 1) loop.turn(1);
    const heard = inputs.flatMap((input) => (input.kind === 'frame' ? input.messages : []));
    expect(heard).toHaveLength(16);
    expect(sent).toMatchObject([{ length: 4, 0: { code: 'too-many-requests', request: 'r16', retryAfterMs: 100 } }]);
    inputs.length = 0;
    receive(Array.from({ length: 20 }, (_, index) => ({ type: 'list', request: `r${index}`, name: 'a', frame: 3 })));
    loop.turn(1);
    expect(inputs).toMatchObject([{ messages: { length: 15 } }, { messages: { length: 5 } }]);
  });
});
