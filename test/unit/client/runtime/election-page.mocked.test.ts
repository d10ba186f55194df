import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeClientCore } from '../../../../client/core/client-core.ts';
import { makeClient } from '../../../../client/runtime/client.ts';
import { tellingOf } from './election-support.ts';
import { FakeSocket, lastSocket, tick } from './support.ts';

/** A page's window, whose events this file makes. */
let page = new EventTarget();
beforeEach(() => {
  FakeSocket.made = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: Date.UTC(2026, 11, 1) });
  page = new EventTarget();
  vi.stubGlobal('document', new EventTarget());
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

interface Sent {
  readonly type: string;
  readonly frame?: number;
  readonly request?: string;
}
// What the client sends is JSON of this shape; the expectations say the rest.
const sent = (): Sent[] => lastSocket().frames().flat() as Sent[];
const say = (message: object): void => lastSocket().say('message', { data: JSON.stringify(message) });

async function welcome(session: string): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
  lastSocket().say('open');
  await tick();
  const ids = { session, secret: 'x', journal: 'j1', resumed: false, protocol: 1, held: [], more: false };
  say({ type: 'welcome', frame: sent()[0]?.frame, ...ids, stateBytesMax: 65_536, frameBytesMax: 262_144 });
  await tick();
}

it('F14 a page that leads is put away: it is deposed and gives back; brought back, it stands again by itself', async () => {
  const election = makeClient(makeClientCore, 'ws://a.test', { WebSocket: FakeSocket }).elect('jobs');
  await welcome('s1');
  const told = tellingOf(election);
  const claim = sent().find(({ type }) => type === 'acquire');
  const times = { leftMs: 30_000, ttlMs: 30_000, ceilingLeftMs: 86_400_000 };
  say({ type: 'granted', request: claim?.request, name: 'jobs', fencingToken: 7, frame: 2, ...times });
  expect(told.splice(0)).toEqual(['status leading', 'elected 7', 'leader 7']);
  page.dispatchEvent(new Event('pagehide'));
  expect(told).toEqual(['status connecting', 'aborted', 'lost closed', 'deposed closed', 'leader null']);
  expect(sent().map(({ type }) => type)).toEqual(['hello', 'watch', 'acquire', 'release', 'bye']);
  expect(election).toMatchObject({ status: 'connecting', isLeader: false, position: null });
  expect(FakeSocket.made).toHaveLength(1);
  page.dispatchEvent(new Event('pageshow'));
  await welcome('s2');
  expect(FakeSocket.made).toHaveLength(2);
  expect(election.status).toBe('standing');
  // The release was not answered.
  expect(sent().map(({ type }) => type)).toEqual(['hello', 'watch', 'release', 'acquire']);
});
