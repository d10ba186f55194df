import { describe, expect, test } from 'vitest';
import { Outgoing } from '../../../../server/net/outgoing.ts';
import { socketId, type Input } from '../../../../server/core/core-types.ts';
import { LIMITS_DEFAULT } from '../../../../server/core/limits.ts';
import { Connection } from '../../../../server/net/connection.ts';
import { requestId } from '../../../../shared/ids.ts';
import { handLoop } from './support/hand-loop.ts';

const QUARTER_MIB = 262_144;

/** An answer whose frame has so many bytes. */
function answer(bytes: number) {
  const empty = { type: 'error', request: requestId('r'), code: 'internal', message: '', retryable: false } as const;
  return { ...empty, message: 'x'.repeat(bytes - JSON.stringify(empty).length) };
}

/** A socket whose peer takes what the test says. */
function rig(outgoingBytesMax = LIMITS_DEFAULT.outgoingBytesMax) {
  const told: boolean[] = [];
  const waiting: { readonly bytes: number; readonly written: () => void }[] = [];
  /** Left this process; a ping is 0. */
  const onTheWay: number[] = [];
  let pings = 0;
  const loop = handLoop();
  const socket = {
    send: (text: string, written: () => void) => void waiting.push({ bytes: text.length, written }),
    ping: () => {
      pings += 1;
      waiting.push({ bytes: 0, written: () => undefined });
    },
    close: () => undefined,
    terminate: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    get bufferedBytes() {
      return waiting.reduce((sum, { bytes }) => sum + bytes, 0);
    },
  };
  const outgoing = new Outgoing(socket, () => ({
    loop,
    outgoingBytesMax,
    pause: () => undefined,
    resume: () => undefined,
    congested: (congested) => void told.push(congested),
    cut: () => undefined,
  }));
  /** What was sent first leaves this process, and pings right behind it. */
  const leave = (): void => {
    do {
      const first = waiting.shift();
      onTheWay.push(first?.bytes ?? 0);
      first?.written();
    } while (waiting[0]?.bytes === 0);
  };
  /** The peer reads all that has left; it answers pings. */
  const arrive = (): void => {
    for (const bytes of onTheWay.splice(0)) if (bytes === 0) outgoing.pong();
  };
  const read = (): void => {
    leave();
    arrive();
  };
  return { outgoing, told, read, leave, arrive, loop, socket, pings: () => pings };
}

describe('S11 views wait while too much does', () => {
  test('S11 with the smallest outgoing bytes too it ends once the peer has read, however little was said', () => {
    for (const outgoingBytesMax of [65_536, 131_072, 262_144]) {
      const { outgoing, told, read } = rig(outgoingBytesMax);
      for (let said = 0; said < 40; said += 1) {
        outgoing.send([answer(1_000)]);
        read();
        expect(told.at(-1) ?? false, `${said} of ${outgoingBytesMax}`).toBe(false);
      }
    }
  });

  test('S11 from 256 KiB on, not one byte earlier', () => {
    const { outgoing, told } = rig();
    outgoing.send([answer(131_072)]);
    outgoing.send([answer(131_071)]);
    expect(told).toEqual([]);
    outgoing.send([answer(200)]);
    expect(told).toEqual([true]);
    outgoing.send([answer(65_536)]);
    expect(told).toEqual([true]);
  });

  test.each([
    [131_072, [true]],
    [131_071, [true, false]],
  ])('S11 until less than half of that is left: %i bytes', (left, expected) => {
    const { outgoing, told, read } = rig();
    outgoing.send([answer(140_000)]);
    outgoing.send([answer(left)]);
    expect(told).toEqual([true]);
    read();
    expect(told).toEqual(expected);
  });

  test('S11 what is kept back counts as what was handed over', () => {
    const { outgoing, told, socket, read } = rig();
    outgoing.send(Array.from({ length: 40 }, () => answer(60_000)));
    expect(socket.bufferedBytes).toBeLessThan(400_000);
    expect(told).toEqual([true]);
    // 36 of 40 read: four frames are 240,000 bytes.
    for (let frames = 0; frames < 36; frames += 1) read();
    expect(told).toEqual([true]);
    for (let frames = 0; frames < 4; frames += 1) read();
    expect(told).toEqual([true, false]);
  });

  test('S11 where less may wait, views wait from a quarter of it', () => {
    const { outgoing, told } = rig(QUARTER_MIB);
    outgoing.send([answer(65_535)]);
    expect(told).toEqual([]);
    outgoing.send([answer(100)]);
    expect(told).toEqual([true]);
  });

  test('R21 what has left this process counts until the peer has read it, which a ping behind each 64 KiB tells', () => {
    const { outgoing, told, leave, arrive, pings } = rig();
    outgoing.send([answer(60_000)]);
    expect(pings(), 'small talk is not pinged').toBe(0);
    for (let more = 0; more < 5; more += 1) outgoing.send([answer(60_000)]);
    expect(pings(), 'one at a time').toBe(1);
    for (let frames = 0; frames < 6; frames += 1) leave();
    expect(told).toEqual([true]);
    arrive();
    expect([told, pings()], 'the four behind the ping are not known to be read').toEqual([[true], 2]);
    leave();
    arrive();
    expect(told).toEqual([true, false]);
  });

  test('R21 a peer that answers no ping is told views all the same, after a while for each', () => {
    const { outgoing, told, leave, loop, pings } = rig();
    outgoing.send(Array.from({ length: 6 }, () => answer(60_000)));
    for (let frames = 0; frames < 6; frames += 1) leave();
    loop.pass(1_999);
    expect([told, pings()]).toEqual([[true], 1]);
    loop.pass(2_001);
    expect([told, pings()]).toEqual([[true, false], 2]);
    expect(loop.timers).toBe(0);
  });

  test('a pong that answers no ping of ours is none, and nothing is awaited of a socket that is gone', () => {
    const { outgoing, loop } = rig();
    expect(outgoing.pong()).toBe(false);
    outgoing.send([answer(100_000)]);
    expect([loop.timers, outgoing.pong(), outgoing.pong(), loop.timers]).toEqual([1, true, false, 0]);
    outgoing.send([answer(100_000)]);
    outgoing.stop();
    expect([loop.timers, outgoing.pong()]).toEqual([0, false]);
  });

  test('S11 the core is told of the sockets that it knows, and of none that ends', () => {
    const { loop, socket, read } = rig();
    const inputs: Input[] = [];
    const connection = new Connection(socketId(7), '127.0.0.1', socket, {
      loop,
      limits: LIMITS_DEFAULT,
      auth: null,
      input: (input) => void inputs.push(input),
      warn: () => undefined,
      welcomed: () => null,
      gone: () => undefined,
    });
    const hello = { type: 'hello', frame: 1, protocolMin: 1, protocolMax: 1, instance: 'i', dial: 1 };
    const bytes = new TextEncoder().encode(JSON.stringify(hello));
    connection.message(bytes, () => JSON.stringify(hello), false);
    connection.say([answer(300_000)]);
    read();
    connection.pong();
    connection.say([answer(300_000)]);
    connection.close('draining', 'draining');
    read();
    expect(inputs.slice(1)).toEqual(
      [true, false, true].map((congested) => ({ kind: 'congestion', socket: 7, congested })),
    );
  });
});
