import { channel } from 'node:diagnostics_channel';
import { expect, it, vi } from 'vitest';
import { untieOf } from '../../../../client/runtime/process-tie.ts';
import type { WebSocketLike } from '../../../../client/runtime/public-options.ts';

const connected = channel('undici:client:connected');
const opened = channel('undici:websocket:open');
const transport = (localPort: number) => ({
  localPort,
  unref: vi.fn<() => void>(),
  setTimeout: vi.fn<(ms: number, idle: () => void) => void>(),
  destroy: vi.fn<() => void>(),
});
// Looked at by class and identity alone.
const socket = (of: { readonly prototype: object } = WebSocket): WebSocketLike =>
  Object.create(of.prototype) as WebSocketLike;
const heard = (): boolean => connected.hasSubscribers || opened.hasSubscribers;

it('F28 the transport under a socket that is hung up keeps no process alive, and no other transport is touched', () => {
  const [mine, theirs, fetched] = [socket(), socket(), transport(3)];
  const [under, other] = [transport(1), transport(2)];
  const untie = untieOf(mine);
  for (const one of [other, fetched, under]) connected.publish({ socket: one });
  opened.publish({ websocket: theirs, address: { port: 2 } });
  opened.publish({ websocket: mine, address: { port: 1 } });
  expect(under.unref).not.toHaveBeenCalled();
  untie();
  expect(under.unref).toHaveBeenCalled();
  for (const one of [other, fetched]) expect(one.unref).not.toHaveBeenCalled();
});

it('F35 it is cut after a second in which nothing passes, and not before', () => {
  const [mine, under] = [socket(), transport(1)];
  const untie = untieOf(mine);
  connected.publish({ socket: under });
  opened.publish({ websocket: mine, address: { port: 1 } });
  untie();
  const [ms, idle] = under.setTimeout.mock.lastCall ?? [];
  expect(ms).toBe(1_000);
  expect(under.destroy).not.toHaveBeenCalled();
  idle?.();
  expect(under.destroy).toHaveBeenCalledOnce();
});

it('diagnostics are heard while a socket dials and not after', () => {
  const mine = socket();
  const untie = untieOf(mine);
  expect(heard()).toBe(true);
  opened.publish({ websocket: mine, address: { port: 1 } });
  expect(heard()).toBe(false);
  untie();
  untieOf(mine)();
  expect(heard()).toBe(false);
});

it('nothing is listened for under a socket of another class', () => {
  untieOf(socket(Object));
  expect(heard()).toBe(false);
});
