import { socketId, type Input } from '../../../../../server/core/core-types.ts';
import { LIMITS_DEFAULT, type Limits } from '../../../../../server/core/limits.ts';
import { Channels, type Refusal } from '../../../../../server/net/channels.ts';
import { Connection } from '../../../../../server/net/connection.ts';
import type { CoordinatorMessage } from '../../../../../shared/frames.ts';
import { frameNumber, journalId, sessionId } from '../../../../../shared/ids.ts';
import { handLoop } from './hand-loop.ts';

export interface Sent {
  readonly channel: number;
  readonly messages?: readonly Readonly<Record<string, unknown>>[];
  readonly close?: number;
  readonly reason?: string;
}

export const helloOf = (instance: string): object => ({
  type: 'hello',
  frame: 1,
  protocolMin: 1,
  protocolMax: 1,
  instance,
  dial: 1,
});

const welcomeOf = (session: string): CoordinatorMessage => ({
  type: 'welcome',
  frame: frameNumber(1),
  session: sessionId(session),
  resumed: false,
  journal: journalId('j'),
  protocol: 1,
  held: [],
  more: false,
  stateBytesMax: 1,
  frameBytesMax: 1,
});

/** Unasked, so that it counts against who does not read; about so many bytes. */
export const unasked = (bytes: number): CoordinatorMessage => ({
  type: 'error',
  code: 'internal',
  message: 'x'.repeat(bytes),
  retryable: false,
});

/** A socket whose peer reads when it is told to. */
function slowSocket(log: string[], sent: Sent[]) {
  const waiting: { readonly bytes: number; readonly written: () => void }[] = [];
  let isReading = true;
  const socket = {
    send: (text: string, written: () => void) => {
      sent.push(JSON.parse(text) as Sent); // Tests look at each field that they use.
      if (isReading) written();
      else waiting.push({ bytes: text.length, written });
    },
    ping: () => void log.push('ping'),
    close: (code: number, reason: string) => void log.push(`close ${code} ${reason}`),
    terminate: () => void log.push('terminate'),
    pause: () => void log.push('pause'),
    resume: () => void log.push('resume'),
    get bufferedBytes() {
      return waiting.reduce((sum, { bytes }) => sum + bytes, 0);
    },
  };
  return {
    socket,
    /** From here on nothing is written, but by `read`. */
    stopReading: (): void => void (isReading = false),
    /** So many frames are read by the peer, the oldest first. */
    read: (count: number): void => {
      for (const { written } of waiting.splice(0, count)) written();
    },
  };
}

/** Channels over a socket, with the connections that the coordinator would have. */
export function channelsRig(given: Partial<Limits> = {}) {
  const limits: Limits = { ...LIMITS_DEFAULT, ...given };
  const loop = handLoop();
  const log: string[] = [];
  const sent: Sent[] = [];
  const inputs: Input[] = [];
  const warned: string[] = [];
  const connections = new Map<number, Connection>();
  let [opened, ended] = [0, 0];
  let refusal: Refusal | null = null;
  const { socket, stopReading, read } = slowSocket(log, sent);
  const channels = new Channels(socket, {
    loop,
    limits,
    address: '127.0.0.1',
    warn: (_, text) => void warned.push(text),
    connect: (channel, ofChannel) => {
      if (refusal !== null) return refusal;
      opened += 1;
      const id = socketId(opened);
      const connection = new Connection(id, '127.0.0.1', channel, {
        loop,
        get limits() {
          return ofChannel();
        },
        auth: null,
        input: (input) => void inputs.push(input),
        warn: (_, text) => void warned.push(text),
        welcomed: () => null,
        gone: () => {
          ended += 1;
          connections.delete(id);
        },
      });
      connections.set(id, connection);
      return connection;
    },
    gone: () => void log.push('gone'),
  });
  const text = (one: string): void => channels.message(new TextEncoder().encode(one), () => one, false);
  const say = (channel: number, ...messages: readonly unknown[]): void => text(JSON.stringify({ channel, messages }));
  return {
    loop,
    log,
    sent,
    inputs,
    warned,
    channels,
    connections,
    text,
    say,
    /** Opens the channel, which is that of the next connection; returns that. */
    open: (channel: number): Connection => {
      say(channel, helloOf(`i${channel}`));
      const connection = connections.get(opened);
      if (connection === undefined) throw new Error(`channel ${channel} has no connection`);
      connection.say([welcomeOf(`s${channel}`)]);
      return connection;
    },
    shut: (channel: number): void => text(JSON.stringify({ channel, close: 1_000 })),
    refuse: (next: Refusal | null): void => void (refusal = next),
    stopReading,
    read,
    sentTo: (channel: number): readonly Sent[] => sent.filter((one) => one.channel === channel),
    closeOf: (channel: number): number | undefined => sent.find((one) => one.channel === channel && one.close)?.close,
    counts: () => ({ opened, ended, open: connections.size, buffered: socket.bufferedBytes }),
  };
}
