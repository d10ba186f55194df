import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lines } from '../../../../client/shared-worker/lines.ts';
import { FakeLineSocket, hearing } from './support.ts';

beforeEach(() => {
  FakeLineSocket.made = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 1_000 });
});
afterEach(() => void vi.useRealTimers());

const make = (url: string, offered: readonly string[]): FakeLineSocket => new FakeLineSocket(url, offered);
const urls = (): readonly string[] => FakeLineSocket.made.map(({ url }) => url);

describe('the sockets of one worker', () => {
  it('are one for each coordinator, whatever segment a tab of Firefox appends', () => {
    const lines = new Lines(make);
    for (const url of ['ws://a/v1/socket', 'ws://a/v1/socket/0f3a', 'ws://b/x/v1/socket', 'ws://a/v1/socket'])
      lines.open(url, hearing().events);
    expect(urls()).toEqual(['ws://a/v1/socket', 'ws://b/x/v1/socket']);
  });

  it('are two where one is full', () => {
    const lines = new Lines(make);
    for (let tab = 0; tab < 33; tab += 1) lines.open('ws://a/v1/socket', hearing().events);
    expect(urls()).toHaveLength(2);
  });

  it('one that nobody has heard since another fell silent takes nobody; one that was dialled or heard since does', () => {
    const lines = new Lines(make);
    const open = () => lines.open('ws://a/v1/socket', hearing().events);
    const full = Array.from({ length: 33 }, open);
    const [first, second] = FakeLineSocket.made;
    for (const [number, socket] of [first, second].entries()) {
      socket?.opens();
      full[number * 32]?.send('{"type":"hello"}');
      socket?.says({ channel: 1, messages: [] });
    }
    vi.advanceTimersByTime(1_000);
    full[0]?.send('{"type":"renew"}');
    vi.advanceTimersByTime(250);
    full[0]?.close();
    open();
    open();
    expect(urls()).toHaveLength(3);
    FakeLineSocket.made[2]?.closes(1006);
    second?.says({ channel: 1, messages: [] });
    open();
    expect(urls()).toHaveLength(3);
  });

  it('one that has closed is opened anew by who comes next', () => {
    const lines = new Lines(make);
    const { told, events } = hearing();
    lines.open('ws://a/v1/socket', events);
    FakeLineSocket.made[0]?.closes(1006);
    lines.open('ws://a/v1/socket/77', hearing().events);
    expect(told).toEqual(['closed 1006 ']);
    expect(urls()).toEqual(['ws://a/v1/socket', 'ws://a/v1/socket/77']);
  });
});
