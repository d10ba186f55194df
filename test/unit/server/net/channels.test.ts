import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { channelsRig, helloOf, unasked } from './support/channels-rig.ts';

const pong = (frame: number, pad = ''): object => ({ type: 'pong', frame, ping: 1, clockMs: 1, pad });

describe('S10 channels of a socket', () => {
  test('S10 each is a socket of its own to the connection behind it: what is said to one goes out under its number', () => {
    const { open, say, sentTo, inputs, log } = channelsRig();
    const [first, second] = [open(1), open(5)];
    second.say([unasked(1)]);
    first.say([unasked(2), unasked(3)]);
    expect(sentTo(1).map(({ messages }) => messages?.length)).toEqual([1, 2]);
    expect(sentTo(5).map(({ messages }) => messages?.[0]?.['type'])).toEqual(['welcome', 'error']);
    say(5, pong(2));
    expect(inputs.at(-1)).toMatchObject({ kind: 'frame', socket: second.id, frame: 2 });
    expect(log).toEqual([]);
  });

  test('S11 a number that was used, or passed over, is refused once in its channel alone', () => {
    const { open, say, shut, closeOf, sentTo, counts, loop, log } = channelsRig();
    open(3);
    shut(3);
    for (let again = 0; again < 3; again += 1) {
      say(3, helloOf('i'));
      say(2, helloOf('i'));
    }
    expect([closeOf(3), closeOf(2)]).toEqual([4400, 4400]);
    expect(sentTo(2)).toMatchObject([
      { messages: [{ type: 'error', code: 'bad-request', message: expect.stringContaining('rise') as unknown }] },
      { close: 4400, reason: expect.stringMatching(/^bad-request: The channel 2 was used, or passed over/) as unknown },
    ]);
    expect(counts().opened).toBe(1);
    loop.turn(1);
    expect(log).toEqual([]);
  });

  test('S10 what crosses a close of ours on its way is dropped in silence; a close of a channel that is not open too', () => {
    const { open, say, shut, sent, log } = channelsRig();
    open(1).close('session-ended', 'session-ended');
    open(2);
    const before = sent.length;
    for (let frame = 2; frame < 6; frame += 1) say(1, pong(frame));
    for (const channel of [1, 1, 9]) shut(channel);
    expect(sent.length).toBe(before);
    say(9, helloOf('i'));
    expect(sent.at(-1)).toMatchObject({ channel: 9, close: 4400 });
    expect(log).toEqual([]);
  });

  test('S10 a close goes behind what was said before, with the code that a socket of its own would have', () => {
    const { open, sentTo, counts, loop, stopReading, read } = channelsRig();
    const connection = open(1);
    stopReading();
    for (let said = 0; said < 5; said += 1) connection.say([unasked(60_000)]);
    connection.close('session-ended', 'session-ended');
    loop.turn(1);
    expect(sentTo(1).at(-1)?.close).toBeUndefined();
    read(2);
    read(9);
    loop.turn(1);
    expect(sentTo(1)).toHaveLength(7);
    expect(sentTo(1).at(-1)).toEqual({ channel: 1, close: 4410, reason: 'session-ended' });
    loop.turn(1);
    expect(counts()).toMatchObject({ opened: 1, ended: 1, open: 0 });
  });

  test('S11 a socket without a channel is closed after 5 s, before the first and behind the last one', () => {
    const before = channelsRig();
    before.loop.pass(5_000);
    expect(before.log).toEqual(['close 4408 hello-timeout: No channel was open for 5000 ms.']);
    before.loop.pass(1_000);
    expect(before.log.at(-1)).toBe('terminate');
    const behind = channelsRig();
    behind.open(1);
    behind.loop.pass(30_000);
    behind.shut(1);
    behind.loop.pass(4_000);
    behind.open(2);
    behind.loop.pass(6_000);
    behind.shut(2);
    behind.loop.pass(4_999);
    expect(behind.log).toEqual([]);
    behind.loop.pass(1);
    expect(behind.log).toHaveLength(1);
  });

  test('S1 the end of the socket is the end of each channel, once; a broken envelope is', () => {
    for (const end of ['closed', 'envelope', 'terminate'] as const) {
      const rig = channelsRig();
      rig.open(1);
      rig.open(2);
      rig.say(3, 'no hello');
      if (end === 'closed') rig.channels.closed();
      if (end === 'envelope') rig.text('{"channel":4}');
      if (end === 'terminate') rig.channels.terminate();
      rig.loop.turn(1);
      expect(rig.counts(), end).toMatchObject({ opened: 3, open: 0 });
      expect(rig.inputs.filter(({ kind }) => kind === 'socket-closed')).toHaveLength(2);
      rig.channels.closed();
      rig.channels.closed();
      expect(rig.log.filter((entry) => entry === 'gone')).toHaveLength(1);
      const { length } = rig.sent;
      rig.say(1, pong(2));
      rig.loop.pass(20_000);
      expect(rig.sent).toHaveLength(length);
      expect(rig.loop.timers).toBe(0);
    }
  });

  test('S10 a refusal reaches the channel in words, and the socket goes on', () => {
    const { refuse, say, open, sentTo, log } = channelsRig();
    refuse({ code: 'draining', text: 'The coordinator is about to stop.' });
    say(1, helloOf('i'));
    expect(sentTo(1)).toMatchObject([
      { messages: [{ type: 'error', code: 'draining' }] },
      { close: 1001, reason: 'draining: The coordinator is about to stop.' },
    ]);
    refuse(null);
    open(2);
    expect(log).toEqual([]);
  });
});

describe('S11 limits of a socket with channels', () => {
  test('S11 channelsPerSocketMax, one below, at and one above; one that is still being closed counts', () => {
    const { open, say, closeOf, stopReading, read, loop, sentTo } = channelsRig({ channelsPerSocketMax: 2 });
    open(1);
    const second = open(2);
    say(3, helloOf('i'));
    expect(closeOf(3)).toBe(4529);
    expect(sentTo(3)[0]?.messages?.[0]).toMatchObject({
      code: 'too-many',
      message: 'There are 2 channels on this socket; allowed are at most 2 (channelsPerSocketMax).',
    });
    stopReading();
    for (let said = 0; said < 4; said += 1) second.say([unasked(60_000)]);
    second.close('session-ended', 'session-ended');
    say(4, helloOf('i'));
    read(20);
    read(20);
    loop.turn(1);
    expect(closeOf(4)).toBe(4529);
    open(5);
  });

  test('S11 the outgoing bytes are those of the whole socket: each channel has its part, at least 64 KiB', () => {
    const { open, counts, stopReading, connections, loop, log } = channelsRig();
    const [greedy] = Array.from({ length: 4 }, (_, index) => open(index + 1));
    stopReading();
    greedy?.say([unasked(262_100)]);
    greedy?.say([unasked(262_100)]);
    greedy?.say([unasked(100)]);
    expect(counts().open).toBe(4);
    // What was not asked for comes to twice its part, a quarter of 1 MiB, and it alone is cut.
    greedy?.say([unasked(262_100)]);
    loop.turn(1);
    expect([...connections.keys()]).toEqual([2, 3, 4]);
    expect(log).toEqual([]);
  });

  test('S11 what one has to say by the megabyte stands before no more than one frame of another', () => {
    const { open, sent, stopReading, read } = channelsRig();
    const [loud, quiet] = [open(1), open(2)];
    stopReading();
    for (let said = 0; said < 7; said += 1) loud.say([unasked(60_000)]);
    quiet.say([unasked(10)]);
    const before = sent.length;
    read(2);
    expect(sent.slice(before).map(({ channel }) => channel)).toContain(2);
    expect(sent.filter(({ channel }) => channel === 1)).toHaveLength(6);
  });

  test('S11 one that is not read holds what comes for it, in order, while others are read', () => {
    const { open, say, inputs, loop, log } = channelsRig({ messagesPerSecond: 100, messagesBurst: 60 });
    const [flooding, other] = [open(1), open(2)];
    for (let frame = 2; frame < 92; frame += 1) say(1, pong(frame));
    say(2, pong(2));
    const framesOf = (id: number): readonly number[] =>
      inputs.flatMap((input) => (input.kind === 'frame' && input.socket === id ? [input.frame] : []));
    expect(framesOf(other.id)).toEqual([2]);
    expect(framesOf(flooding.id).at(-1)).toBe(61);
    // The pause is over; what comes now comes behind what is held, and no more is read than the rate has room for.
    loop.turn(120, () => say(1, pong(92)));
    expect(framesOf(flooding.id).at(-1)).toBeGreaterThan(61);
    expect(framesOf(flooding.id).at(-1)).toBeLessThan(92);
    loop.pass(3_000);
    expect(framesOf(flooding.id)).toEqual(Array.from({ length: 91 }, (_, index) => index + 2));
    expect(log).toEqual([]);
  });

  test('S11 more than 1 MiB that is not read closes the channel that has most of it, and no other', () => {
    const { open, say, closeOf, loop, log, counts } = channelsRig({ messagesPerSecond: 1, messagesBurst: 80 });
    open(1);
    open(2);
    open(3);
    for (let frame = 2; frame < 90; frame += 1) say(1, pong(frame, 'x'.repeat(20_000)));
    for (let frame = 2; frame < 100; frame += 1) say(3, pong(frame, 'x'.repeat(60_000)));
    loop.turn(1);
    expect([closeOf(1), closeOf(2), closeOf(3)]).toEqual([undefined, undefined, 4429]);
    expect(counts().open).toBe(2);
    expect(log).toEqual([]);
  });

  test('S11 pings of the WebSocket protocol, openings and closes count against the socket', () => {
    const pings = channelsRig({ messagesPerSecond: 100, messagesBurst: 10 });
    pings.open(1);
    for (let passed = 0; passed < 11_000; passed += 100) {
      for (let count = 0; count < 20; count += 1) pings.channels[count % 2 === 0 ? 'control' : 'pong']();
      pings.loop.pass(100);
    }
    expect(pings.log.some((entry) => entry.startsWith('close 4429 rate-limited: '))).toBe(true);

    const openings = channelsRig({ messagesBurst: 100, messagesPerSecond: 100 });
    for (let channel = 1; channel <= 4; channel += 1) openings.open(channel);
    expect(openings.log).toEqual([]);
    openings.shut(1);
    expect(openings.log).toEqual(['pause']);
    openings.loop.pass(1_000);
    expect(openings.log).toEqual(['pause', 'resume']);
  });

  test('S11 refusals to a peer that reads nothing are bounded: it is not read any more, and cut after 10 s', () => {
    const { open, say, stopReading, log, loop, counts, warned } = channelsRig({
      channelsPerSocketMax: 1,
      messagesBurst: 10_000_000,
    });
    open(1);
    stopReading();
    for (let channel = 2; !log.includes('pause'); channel += 1) say(channel, helloOf('i'));
    loop.pass(9_000);
    expect(log).not.toContain('terminate');
    loop.pass(2_000);
    expect(log).toContain('terminate');
    expect(counts().buffered).toBeLessThan(2_000_000);
    expect(counts().open).toBe(0);
    expect(warned.at(-1)).toContain('cut a socket');
  });

  test('S11 a peer that reads nothing loses the channel that waits for it, told 1006, and a socket without one in the end', () => {
    const { open, sentTo, stopReading, read, loop, log } = channelsRig();
    const connection = open(1);
    stopReading();
    connection.say(Array.from({ length: 20 }, () => ({ ...unasked(60_000), request: 'r' as never }))); // As if asked.
    loop.pass(10_000);
    read(99);
    expect(sentTo(1).at(-1)).toEqual({ channel: 1, close: 1006, reason: '' });
    expect(sentTo(1).length).toBeLessThan(8);
    loop.pass(5_000);
    expect(log).toEqual(['ping', 'close 4408 hello-timeout: No channel was open for 5000 ms.']);
  });

  test('S11 bytes in a channel before its welcome close it alone', () => {
    const { open, say, closeOf, log } = channelsRig();
    open(1);
    say(2, helloOf('i'));
    for (let frame = 2; frame < 5; frame += 1) say(2, pong(frame, 'x'.repeat(6_000)));
    expect(closeOf(2)).toBe(1009);
    expect(log).toEqual([]);
  });

  test('S11 bytes before the first welcome: as many hellos as there are channels, and one more', () => {
    const { channels, log, say } = channelsRig();
    channels.received(17_000);
    say(1, helloOf('i'));
    channels.received(17_000);
    expect(log).toEqual([]);
    channels.received(1_000);
    expect(log).toEqual(['close 1009 frame-too-large: More than 34816 bytes came before the first "welcome".']);
  });
});

describe('S11 pings behind much that is said', () => {
  test('S11 a pong tells the channels whose ping it answers, one ping at a time, and costs nothing', () => {
    const { open, channels, log } = channelsRig({ messagesBurst: 60, messagesPerSecond: 1 });
    const [first, second] = [open(1), open(2)];
    let answered = '';
    for (const [name, connection] of [
      ['1', first],
      ['2', second],
    ] as const) {
      const { pong: plain } = connection;
      connection.pong = () => {
        answered += name;
        plain.call(connection);
      };
    }
    first.say([unasked(70_000)]);
    second.say([unasked(70_000)]);
    expect(log).toEqual(['ping']);
    channels.pong();
    expect([log, answered]).toEqual([['ping', 'ping'], '1']);
    channels.pong();
    expect(answered).toBe('12');
    for (let stray = 0; stray < 11; stray += 1) channels.pong();
    expect(log.at(-1)).toBe('pause');
  });
});

test('S11 whatever is sent, in whatever order, ends each connection once and leaves no timer', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constant('hello' as const), fc.integer({ min: 1, max: 6 })) },
    { weight: 4, arbitrary: fc.tuple(fc.constant('pong' as const), fc.integer({ min: 1, max: 6 })) },
    fc.tuple(fc.constantFrom('junk' as const, 'shut' as const, 'large' as const), fc.integer({ min: 1, max: 6 })),
    fc.tuple(fc.constantFrom('pass' as const, 'read' as const, 'stop' as const), fc.integer({ min: 1, max: 400 })),
    fc.tuple(fc.constantFrom('close' as const, 'cut' as const, 'tell' as const), fc.integer({ min: 0, max: 5 })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const rig = channelsRig({ channelsPerSocketMax: 3, messagesBurst: 100, messagesPerSecond: 100 });
      let frame = 1;
      for (const [does, number] of steps) {
        const some = [...rig.connections.values()][number % Math.max(1, rig.connections.size)];
        frame += 1;
        if (does === 'hello') rig.say(number, helloOf('i'));
        if (does === 'pong') rig.say(number, pong(frame));
        if (does === 'junk') rig.say(number, null, [], { frame });
        if (does === 'large') rig.say(number, pong(frame, 'x'.repeat(100_000)));
        if (does === 'shut') rig.shut(number);
        if (does === 'pass') rig.loop.turn(number);
        if (does === 'read') rig.read(number);
        if (does === 'stop') rig.stopReading();
        if (does === 'close') some?.close('session-ended', 'session-ended');
        if (does === 'cut') some?.terminate();
        if (does === 'tell') some?.say([unasked(50_000)]);
        expect(rig.counts().open).toBeLessThanOrEqual(4);
      }
      rig.channels.closed();
      rig.loop.pass(2);
      expect(rig.counts()).toMatchObject({ open: 0, ended: rig.counts().opened });
      rig.loop.turn(100_000);
      expect(rig.loop.timers).toBe(0);
      const closes = rig.sent.filter(({ close }) => close !== undefined);
      const opened = rig.sent.filter(({ messages }) => messages?.[0]?.['type'] === 'welcome');
      expect(closes.length + opened.length).toBeLessThanOrEqual(steps.length + 3);
    }),
    { numRuns: 300, seed: 5 },
  );
});
