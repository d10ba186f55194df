import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lines } from '../../../../client/shared-worker/lines.ts';
import type { ToTab, ToWorker } from '../../../../client/shared-worker/messages.ts';
import { serveTab, type TabPort } from '../../../../client/shared-worker/tab.ts';
import { FakeLineSocket } from './support.ts';

class FakePort implements TabPort {
  onmessage: ((event: never) => void) | null = null;
  readonly posted: ToTab[] = [];
  closed = false;
  postMessage(message: ToTab): void {
    this.posted.push(message);
  }
  close(): void {
    this.closed = true;
  }
  says(message: ToWorker): void {
    this.onmessage?.({ data: message } as never); // The part of the event that is read.
  }
}

beforeEach(() => {
  FakeLineSocket.made = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 1_000 });
});
afterEach(() => void vi.useRealTimers());

function rig(make = (url: string, offered: readonly string[]) => new FakeLineSocket(url, offered)) {
  const port = new FakePort();
  const over = vi.fn();
  const free = new Map<string, () => void>();
  const forbid = serveTab(port, {
    lines: new Lines(make),
    ownLock: Promise.resolve('of the worker'),
    whenFree: (lock, call) => void free.set(lock, call),
    over,
  });
  return { port, over, free, forbid, socket: () => FakeLineSocket.made.at(-1) };
}

async function dialling() {
  const made = rig();
  made.port.says({ kind: 'dial', url: 'ws://a/v1/socket', lock: 'of the tab' });
  await Promise.resolve();
  return made;
}

async function open() {
  const made = await dialling();
  made.socket()?.opens();
  return made;
}

describe('one dial of a tab', () => {
  it('is answered with the name of a lock, then carries frames both ways, each acknowledged', async () => {
    const { port, socket } = await open();
    port.says('{"type":"hello"}');
    socket()?.says({ channel: 1, messages: [] });
    expect(port.posted).toEqual([
      { kind: 'taken', lock: 'of the worker' },
      { kind: 'opened' },
      { kind: 'heard' },
      '[]',
    ]);
    expect(socket()?.sent).toHaveLength(1);
  });

  it('ends with the close of its channel, and says with what code', async () => {
    const { port, socket, over } = await open();
    socket()?.closes(1001, 'draining');
    expect(port.posted.at(-1)).toEqual({ kind: 'closed', code: 1001, reason: 'draining' });
    expect(port.closed).toBe(true);
    expect(over).toHaveBeenCalledOnce();
  });

  it('ends when the tab says so', async () => {
    const { port, socket, over } = await open();
    port.says('{"type":"hello"}');
    port.says({ kind: 'close' });
    expect(socket()?.sent.at(-1)).toBe('{"channel":1,"close":1000,"reason":""}');
    expect(over).toHaveBeenCalledOnce();
  });

  it('ends 250 ms after nobody holds the lock of the tab any more: its last words may come behind', async () => {
    const { port, socket, free, over } = await open();
    port.says('{"type":"hello"}');
    free.get('of the tab')?.();
    vi.advanceTimersByTime(249);
    port.says('{"type":"bye"}');
    expect(socket()?.sent.at(-1)).toBe('{"channel":1,"messages":[{"type":"bye"}]}');
    expect(over).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(socket()?.sent.at(-1)).toBe('{"channel":1,"close":1000,"reason":""}');
    expect(over).toHaveBeenCalledOnce();
  });

  it('ends where 4,096 frames wait for a tab that says nothing, and goes on where it speaks', async () => {
    const { port, socket, over } = await open();
    const flood = (frames: number): void => {
      for (let frame = 0; frame < frames; frame += 1) socket()?.says({ channel: 1, messages: [] });
    };
    flood(4_096);
    port.says('{"type":"pong"}');
    flood(4_096);
    expect(over).not.toHaveBeenCalled();
    flood(1);
    expect(port.posted.at(-1)).toEqual({ kind: 'closed', code: 1006, reason: 'the tab does not read' });
    expect(over).toHaveBeenCalledOnce();
  });

  it('says so where the coordinator speaks no channels', async () => {
    const { port, socket, over } = rig();
    port.says({ kind: 'dial', url: 'ws://a/v1/socket', lock: 'of the tab' });
    await Promise.resolve();
    Object.assign(socket() ?? {}, { protocol: 'leasehold.v1' });
    socket()?.opens();
    expect(port.posted.at(-1)).toEqual({ kind: 'useless', problem: 'the coordinator speaks no channels' });
    expect(over).toHaveBeenCalledOnce();
  });

  it('says so where the policy of the worker forbids to connect, and where the WebSocket throws', async () => {
    const forbidden = await dialling();
    forbidden.forbid();
    expect(forbidden.port.posted.at(-1)).toEqual({ kind: 'useless', problem: 'its policy does not let it connect' });
    const { port } = rig(() => {
      throw new SyntaxError('mixed content');
    });
    port.says({ kind: 'dial', url: 'ws://a/v1/socket', lock: 'of the tab' });
    await Promise.resolve();
    expect(port.posted.at(-1)).toEqual({ kind: 'closed', code: 0, reason: 'SyntaxError: mixed content' });
  });

  it('says nothing of a policy where it is connected: another coordinator is forbidden', async () => {
    const { forbid, over } = await open();
    forbid();
    expect(over).not.toHaveBeenCalled();
  });
});
