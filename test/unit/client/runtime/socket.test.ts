import { beforeEach, describe, expect, it } from 'vitest';
import { openSocket, type Socket } from '../../../../client/runtime/socket.ts';
import type { ClientMessage, CoordinatorMessage } from '../../../../shared/frames.ts';
import { frameNumber, requestId } from '../../../../shared/ids.ts';
import { FakeSocket, lastSocket, tick } from './support.ts';

interface Heard {
  opened: number;
  readonly messages: (readonly CoordinatorMessage[])[];
  readonly closed: (readonly [number, string])[];
  readonly bad: string[];
}

function open(): { readonly socket: Socket; readonly fake: FakeSocket; readonly heard: Heard } {
  const heard: Heard = { opened: 0, messages: [], closed: [], bad: [] };
  const socket = openSocket(new FakeSocket('ws://coordinator.test/v1/socket', ['leasehold.v1']), {
    opened: () => void (heard.opened += 1),
    heard: (messages) => heard.messages.push(messages),
    closed: (code, reason) => heard.closed.push([code, reason]),
    bad: (problem) => heard.bad.push(problem),
  });
  return { socket, fake: lastSocket(), heard };
}

const cancel = (id: string, frame?: number): ClientMessage =>
  frame === undefined
    ? { type: 'cancel', request: requestId(id) }
    : { type: 'cancel', request: requestId(id), frame: frameNumber(frame) };
beforeEach(() => void (FakeSocket.made = []));

describe('one socket', () => {
  it('asks for the protocol by name', () => {
    expect(open().fake.protocols).toEqual(['leasehold.v1']);
  });

  it('a message alone is a frame, several are an array', () => {
    const { socket, fake } = open();
    fake.say('open');
    socket.send([cancel('a', 1)]);
    socket.send([cancel('b', 2), cancel('c')]);
    expect(fake.frames()).toEqual([cancel('a', 1), [cancel('b', 2), cancel('c')]]);
  });

  it('a socket that was closed here is not heard of again', () => {
    const { socket, fake, heard } = open();
    fake.say('open');
    socket.close();
    fake.say('message', { data: '{"type":"draining","retryAfterMs":1}' });
    fake.say('error', {});
    fake.say('close', { code: 1006, reason: '' });
    expect(heard).toEqual({ opened: 1, messages: [], closed: [], bad: [] });
  });
});

describe('what runtimes do differently', () => {
  it('Node 22 says error and no close when nobody listens: that is the end, once', () => {
    const { fake, heard } = open();
    fake.say('error', { message: 'connect ECONNREFUSED' });
    expect(heard.closed).toEqual([[0, 'connect ECONNREFUSED']]);
    expect(fake.closedWith).toEqual([1000]);
    fake.say('close', { code: 1006, reason: '' });
    expect(heard.closed).toHaveLength(1);
  });

  it('Deno closes with code 0', () => {
    const { fake, heard } = open();
    fake.say('close', { code: 0, reason: '' });
    expect(heard.closed).toEqual([[0, '']]);
  });

  it('a close without code or reason is code 0', () => {
    const { fake, heard } = open();
    fake.say('close');
    expect(heard.closed).toEqual([[0, '']]);
  });

  it('the code of a close that says something is passed on', () => {
    const { fake, heard } = open();
    fake.say('open');
    fake.say('close', { code: 4401, reason: 'unauthorized' });
    expect(heard.closed).toEqual([[4401, 'unauthorized']]);
  });

  it('a send that throws is the end of that socket and not an exception', async () => {
    const { socket, fake, heard } = open();
    fake.say('open');
    fake.send = () => {
      throw new TypeError('readyState not OPEN');
    };
    socket.send([cancel('a', 1)]);
    await tick();
    await tick();
    expect(heard.closed).toEqual([[0, 'TypeError: readyState not OPEN']]);
  });

  it('nothing is sent into a socket that is closing', async () => {
    const { socket, fake } = open();
    fake.say('open');
    fake.readyState = 2;
    socket.send([cancel('a', 1)]);
    await tick();
    expect(fake.sent).toEqual([]);
  });

  it('a close that throws is no exception', () => {
    const { socket, fake } = open();
    fake.close = () => {
      throw new TypeError('already closed');
    };
    expect(() => socket.close()).not.toThrow();
  });
});

describe('S11 what comes in is held against the table, once', () => {
  const draining = { type: 'draining', retryAfterMs: 5 };
  const gone = { type: 'gone', request: 'r1' };

  it('one message and an array of them are heard', () => {
    const { fake, heard } = open();
    fake.say('message', { data: JSON.stringify(draining) });
    fake.say('message', { data: JSON.stringify([draining, gone]) });
    expect(heard.messages).toEqual([[draining], [draining, gone]]);
  });

  it.each([
    ['a frame that is not JSON', '{"type":', [': a message is a JSON object']],
    ['a binary frame', new ArrayBuffer(2), [': a message is a JSON object']],
    ['a type that is not known', '{"type":"party"}', ['type: no such type of message']],
    ['a field out of range', '{"type":"draining","retryAfterMs":-1}', ['retryAfterMs: ']],
  ])('%s is refused in words', (_title, data, problems) => {
    const { fake, heard } = open();
    fake.say('message', { data });
    expect(heard.messages).toEqual([[]]);
    expect(heard.bad).toEqual(problems.map((start) => expect.stringContaining(start) as string));
  });

  it('one bad message in an array costs only itself', () => {
    const { fake, heard } = open();
    fake.say('message', { data: JSON.stringify([draining, { type: 'gone' }, gone]) });
    expect(heard.messages).toEqual([[draining, gone]]);
    expect(heard.bad).toHaveLength(1);
  });
});
