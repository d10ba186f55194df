import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeClientCore } from '../../../../client/core/client-core.ts';
import { makeClient } from '../../../../client/runtime/client.ts';
import type { Client } from '../../../../client/runtime/public-client.ts';
import type { ElectOptions } from '../../../../client/runtime/public-election.ts';
import { tellingOf } from './election-support.ts';
import { FakeSocket, lastSocket, tick } from './support.ts';

/** A page's document, which this file shows and hides. */
class Page extends EventTarget {
  visibilityState = 'visible';
  see(state: 'visible' | 'hidden'): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}
let page = new Page();
beforeEach(() => {
  FakeSocket.made = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: Date.UTC(2026, 11, 1) });
  page = new Page();
  vi.stubGlobal('document', page);
  const frame = new EventTarget();
  vi.stubGlobal('addEventListener', frame.addEventListener.bind(frame));
});
afterEach(() => {
  vi.doUnmock('../../../../client/runtime/visibility.ts');
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

interface Sent {
  readonly type: string;
  readonly frame?: number;
  readonly request?: string;
  readonly priority?: number;
}
// What the client sends is JSON of this shape; the expectations say the rest.
const sent = (): Sent[] => lastSocket().frames().flat() as Sent[];
const last = (type: string): Sent | undefined => sent().findLast((message) => message.type === type);
const lastFrame = (): number | undefined => sent().findLast(({ frame }) => frame !== undefined)?.frame;
const priorities = (type: string) => sent().flatMap((one) => (one.type === type ? [one.priority] : []));
const say = (...messages: object[]): void => lastSocket().say('message', { data: JSON.stringify(messages) });

async function welcome(): Promise<void> {
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(0);
  lastSocket().say('open');
  await tick();
  const ids = { session: 's', secret: 'x', journal: 'j', resumed: false, protocol: 1, held: [], more: false };
  say({ type: 'welcome', frame: sent()[0]?.frame, ...ids, stateBytesMax: 65_536, frameBytesMax: 262_144 });
  await tick();
}

/** Everything so far was read. */
const read = (): void => say({ type: 'ping', ping: 1, nextMs: 15_000, frame: lastFrame() });

/** A leader's page goes out of sight, and the coordinator reads so. */
async function hide(): Promise<void> {
  page.see('hidden');
  await tick();
  read();
}
const YIELD = { type: 'yieldRequested', name: 'jobs', fencingToken: 7, priority: 1 };
const asked = (): void => say(YIELD);
const answered = (): void => say({ type: 'released', request: last('release')?.request, released: true });

const newClient = (): Client => makeClient(makeClientCore, 'ws://a.test', { WebSocket: FakeSocket });

async function leading(options: ElectOptions = {}) {
  const election = newClient().elect('jobs', { prefer: 'visible', ...options });
  await welcome();
  const times = { leftMs: 30_000, ttlMs: 30_000, ceilingLeftMs: 86_400_000 };
  const { request } = last('acquire') ?? {};
  say({ type: 'granted', request, name: 'jobs', fencingToken: 7, frame: lastFrame(), ...times });
  expect(election.isLeader).toBe(true);
  read();
  return { election, told: tellingOf(election) };
}

describe('elect with prefer "visible"', () => {
  it('asks with 1 more in a page that is seen, and amends that as the page goes out of sight and comes back', async () => {
    const election = newClient().elect('jobs', { prefer: 'visible', priority: 4 });
    await welcome();
    expect(priorities('acquire')).toEqual([5]);
    page.see('hidden');
    page.see('visible');
    await tick();
    expect(priorities('amend')).toEqual([4, 5]);
    expect(election.status).toBe('standing');
  });

  it('out of sight it makes way when it is asked and has led for 2 s, and stands again with its own priority', async () => {
    const { election, told } = await leading();
    await vi.advanceTimersByTimeAsync(1_000);
    asked();
    await hide();
    asked();
    await vi.advanceTimersByTimeAsync(999);
    expect(last('release')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    // The lease ends here before the word leaves (R13), and its new claim stands behind it.
    expect(
      sent()
        .slice(-2)
        .map(({ type }) => type),
    ).toEqual(['release', 'acquire']);
    expect(told).toEqual(['status standing', 'deposed released', 'leader null']);
    expect(priorities('acquire')).toEqual([1, 0]);
    expect(election.status).toBe('standing');
  });

  it('follows the page no more once it is stopped', async () => {
    const removed: string[] = [];
    page.addEventListener = (type, _listener, options) => {
      if (typeof options === 'object') options.signal?.addEventListener('abort', () => removed.push(type));
    };
    const { election } = await leading();
    const stopped = election.stop();
    await tick();
    answered();
    await stopped;
    expect(removed).toEqual(['visibilitychange']);
  });

  it('stopped before its part is loaded, it claims nothing', async () => {
    const election = newClient().elect('jobs', { prefer: 'visible' });
    await election.stop();
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeSocket.made).toEqual([]);
    expect(election.status).toBe('stopped');
  });

  it('whose part does not load warns, and goes on without', async () => {
    vi.doMock('../../../../client/runtime/visibility.ts', () => {
      throw new Error('404');
    });
    const client = newClient();
    const warned = vi.fn();
    client.on('warning', warned);
    client.elect('jobs', { prefer: 'visible' });
    await welcome();
    expect(priorities('acquire')).toEqual([undefined]);
    expect(warned).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: 'listener', message: expect.stringContaining('prefer "visible"') as string }),
    );
  });

  it('has no effect in what is no page', async () => {
    vi.stubGlobal('document', undefined);
    Reflect.deleteProperty(globalThis, 'document');
    newClient().elect('jobs', { prefer: 'visible', priority: 3 });
    await welcome();
    expect(priorities('acquire')).toEqual([3]);
  });

  it.each([
    [{ prefer: 'hidden' }, /^prefer is "hidden"; allowed: "visible"/],
    [{ prefer: true }, /^prefer is true; allowed: "visible"/],
    [{ prefer: 'visible', priority: 100 }, /^priority is 100; allowed: at most 99 with prefer/],
  ])('S10 %o is refused in words', (options, message) => {
    // As a program without types may call it.
    const call = (): unknown => newClient().elect('jobs', options as ElectOptions);
    expect(call).toThrow(
      expect.objectContaining({ code: 'bad-request', message: expect.stringMatching(message) as string }),
    );
  });

  it('a priority of 99 is none too many', async () => {
    newClient().elect('jobs', { prefer: 'visible', priority: 99 });
    await welcome();
    expect(priorities('acquire')).toEqual([100]);
  });
});
