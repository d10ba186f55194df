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
  const loop = handLoop();
  const socket = {
    send: (text: string, written: () => void) => void waiting.push({ bytes: text.length, written }),
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
  /** The peer reads the frame that was sent first. */
  const read = (): void => waiting.shift()?.written();
  return { outgoing, told, read, loop, socket };
}

describe('S11 views wait while too much does', () => {
  test('S11 from 256 KiB on, not one byte earlier, and until half of that is left', () => {
    const { outgoing, told, read } = rig();
    outgoing.send([answer(131_072)]);
    outgoing.send([answer(131_071)]);
    expect(told).toEqual([]);
    outgoing.send([answer(200)]);
    expect(told).toEqual([true]);
    outgoing.send([answer(65_536)]);
    expect(told).toEqual([true]);
    read();
    expect(told, '196,807 bytes are left').toEqual([true]);
    read();
    expect(told, '65,736 bytes are left').toEqual([true, false]);
  });

  test('S11 what is kept back counts as what was handed over', () => {
    const { outgoing, told, socket, read } = rig();
    outgoing.send(Array.from({ length: 40 }, () => answer(60_000)));
    expect(socket.bufferedBytes).toBeLessThan(400_000);
    expect(told).toEqual([true]);
    // 36 of 40 read: four frames are 240,000 bytes, two are 120,000.
    for (let frames = 0; frames < 36; frames += 1) read();
    expect(told).toEqual([true]);
    for (let frames = 0; frames < 2; frames += 1) read();
    expect(told).toEqual([true, false]);
  });

  test('S11 where less may wait, views wait from a quarter of it', () => {
    const { outgoing, told } = rig(QUARTER_MIB);
    outgoing.send([answer(65_535)]);
    expect(told).toEqual([]);
    outgoing.send([answer(100)]);
    expect(told).toEqual([true]);
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
    connection.say([answer(300_000)]);
    connection.close('draining', 'draining');
    read();
    expect(inputs.slice(1)).toEqual(
      [true, false, true].map((congested) => ({ kind: 'congestion', socket: 7, congested })),
    );
  });
});
