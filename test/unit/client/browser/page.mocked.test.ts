import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { client, freshName, leads, NoSocket, stands, tellingOf, until } from './support.ts';

const scope = { scope: 'browser' } as const;
/** A page's window and document, whose events this file makes. */
let frame = new EventTarget();
let page = new EventTarget();
beforeEach(() => {
  frame = new EventTarget();
  page = new EventTarget();
  vi.stubGlobal('document', page);
  vi.stubGlobal('addEventListener', frame.addEventListener.bind(frame));
});
afterEach(() => void vi.unstubAllGlobals());

const heldOrAsked = async (name: string): Promise<number> => {
  const { held, pending } = await navigator.locks.query();
  return [...held, ...pending].filter((one) => one.name === `leasehold:${name}`).length;
};
const OVER = ['aborted', 'lost closed', 'deposed closed', 'leader null'];

describe("a page with an election of scope 'browser'", () => {
  it.each([
    ['pagehide', 'pageshow', () => frame],
    ['freeze', 'resume', () => page],
  ])(
    'at %s its lease is lost and the lock is free within that turn; at %s it stands again',
    async (away, back, target) => {
      const name = freshName();
      const election = client('one').elect(name, scope);
      await leads(election);
      const told = tellingOf(election);
      const { lease } = election;
      const order: string[] = [];
      lease?.on('lost', () => {
        // Who hears of the loss still has the lock to itself.
        void navigator.locks.request(`leasehold:${name}`, { ifAvailable: true }, (lock) => {
          order.push(lock === null ? 'not free yet' : 'free');
        });
      });
      target().dispatchEvent(new Event(away));
      expect(told.splice(0)).toEqual(['status connecting', 'deposed closed', 'leader null']);
      expect(lease).toMatchObject({
        status: 'lost',
        signal: { aborted: true, reason: { code: 'closed', retryable: true } },
      });
      expect(election).toMatchObject({ status: 'connecting', isLeader: false, position: null });
      // As the second of two such events does.
      target().dispatchEvent(new Event(away));
      await until(() => order.length === 1, 'it was asked whether the lock is free');
      expect(order).toEqual(['not free yet']);
      await sleep(10);
      expect([await heldOrAsked(name), told]).toEqual([0, []]);
      target().dispatchEvent(new Event(back));
      expect(election.status).toBe('standing');
      await leads(election);
      expect(election.lease).not.toBe(lease);
      target().dispatchEvent(new Event(back));
      expect(await heldOrAsked(name)).toBe(1);
      await election.stop();
    },
  );

  it('that only stands leaves the queue, so that it keeps nobody from leading', async () => {
    const name = freshName();
    const one = client('one').elect(name, scope);
    await leads(one);
    const two = client('two').elect(name, scope);
    await stands(two);
    page.dispatchEvent(new Event('freeze'));
    // Both live in this page.
    await sleep(10);
    expect(await heldOrAsked(name)).toBe(0);
    await two.stop();
    page.dispatchEvent(new Event('resume'));
    await leads(one);
    expect(two.status).toBe('stopped');
    await one.stop();
  });

  it('stopped, it listens to nothing any more: not to the page, and over no channel', async () => {
    let open = 0;
    class Counted extends BroadcastChannel {
      constructor(name: string) {
        super(name);
        open += 1;
      }
      override close(): void {
        open -= 1;
        super.close();
      }
    }
    vi.stubGlobal('BroadcastChannel', Counted);
    const signals: AbortSignal[] = [];
    for (const target of [frame, page]) {
      const add = target.addEventListener.bind(target);
      vi.spyOn(target, 'addEventListener').mockImplementation((...given) => {
        const [, , options] = given;
        if (typeof options === 'object' && options.signal !== undefined) signals.push(options.signal);
        add(...given);
      });
    }
    vi.stubGlobal('addEventListener', frame.addEventListener);
    const election = client('one').elect(freshName(), scope);
    await leads(election);
    expect([open, signals.length, signals.some(({ aborted }) => aborted)]).toEqual([1, 4, false]);
    await election.stop();
    expect([open, signals.every(({ aborted }) => aborted)]).toEqual([0, true]);
  });

  it('all who listen to a lease that ends as the page stops hear all of it, in order', async () => {
    const election = client('one').elect(freshName(), scope);
    const told = tellingOf(election);
    await leads(election);
    told.splice(0);
    page.dispatchEvent(new Event('freeze'));
    expect(told).toEqual(['status connecting', ...OVER]);
    await election.stop();
    page.dispatchEvent(new Event('resume'));
    expect(election.status).toBe('stopped');
  });
});

describe('a runtime', () => {
  it.each([[{}], [undefined]])(
    'without Web Locks (navigator: %o) refuses, and says what they need',
    async (navigator) => {
      vi.stubGlobal('navigator', navigator);
      const election = client('one').elect(freshName(), scope);
      const told = tellingOf(election);
      await until(() => election.status === 'refused', 'it is refused');
      expect(election.error).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('https') as string,
      });
      expect(election).toMatchObject({ isLeader: false, lease: null, leader: null });
      expect(told).toEqual(['status standing', 'status refused']);
      await election.stop();
      expect(election.status).toBe('refused');
    },
  );

  it('whose locks are forbidden for good refuses; one whose request fails for now is asked again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const failWith = (name: string): Error => Object.assign(new Error('no'), { name });
    const request = vi.fn().mockRejectedValue(failWith('InvalidStateError'));
    vi.stubGlobal('navigator', { locks: { request } });
    const name = freshName();
    const election = client('one').elect(name, scope);
    const asked = (): number => request.mock.calls.filter(([lock]) => lock === `leasehold:${name}`).length;
    await vi.waitUntil(() => asked() === 1, { interval: 1 });
    await vi.advanceTimersByTimeAsync(400);
    expect([asked(), election.status]).toEqual([1, 'connecting']);
    request.mockRejectedValue(failWith('SecurityError'));
    await vi.advanceTimersByTimeAsync(700);
    expect([asked(), election.status]).toEqual([2, 'refused']);
    expect(election.error).toMatchObject({ code: 'unavailable', retryable: false, cause: { name: 'SecurityError' } });
    vi.useRealTimers();
  });

  it('without a BroadcastChannel elects all the same; only who leads elsewhere stays unknown', async () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    const name = freshName();
    const [one, two] = [client('one').elect(name, scope), client('two').elect(name, scope)];
    await leads(one);
    await stands(two);
    expect(two.leader).toBeNull();
    await one.stop();
    await leads(two);
    await two.stop();
    expect(NoSocket.made).toBe(0);
  });
});
