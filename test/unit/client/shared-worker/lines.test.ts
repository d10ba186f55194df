import { beforeEach, describe, expect, it } from 'vitest';
import { Lines } from '../../../../client/shared-worker/lines.ts';
import { FakeLineSocket, hearing } from './support.ts';

beforeEach(() => void (FakeLineSocket.made = []));

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
