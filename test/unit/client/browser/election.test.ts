import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BrowserElectOptions, Client } from 'leasehold';
import { client, freshName, leads, NoSocket, stands, tellingOf, until } from './support.ts';

const scope = { scope: 'browser' } as const;
const lockOf = async (name: string): Promise<number> => {
  const { held } = await navigator.locks.query();
  return held.filter((one) => one.name === `leasehold:${name}`).length;
};
const clients: Client[] = [];
const made = (...given: Parameters<typeof client>): Client => {
  const one = client(...given);
  clients.push(one);
  return one;
};
afterEach(async () => {
  for (const one of clients.splice(0)) await one.close();
});

describe("elect with scope 'browser'", () => {
  it('elects one over the native lock, tells the others who leads and since when, and dials nobody', async () => {
    const name = freshName();
    const first = made('one').elect(name, scope);
    expect(first).toMatchObject({ name, status: 'connecting', isLeader: false, lease: null, error: null });
    await leads(first);
    expect(await lockOf(name)).toBe(1);
    const second = made('two').elect(name, { ...scope, label: 'a tab' });
    await until(() => second.leader !== null, 'who leads is known');
    await stands(second);
    expect(second).toMatchObject({ status: 'standing', isLeader: false, position: 0, leader: { label: 'one' } });
    expect(Date.parse(second.leader?.since ?? '')).toBeLessThanOrEqual(Date.now());
    await first.stop();
    await leads(second);
    expect(second.leader).toMatchObject({ label: 'a tab' });
    expect(NoSocket.made).toBe(0);
    expect(clients.map(({ status }) => status)).toEqual(['idle', 'idle']);
  });

  it('tells the win and the loss in the order of every election', async () => {
    const election = made('one').elect(freshName(), scope);
    const told = tellingOf(election);
    await leads(election);
    expect(told.splice(0)).toEqual(['status standing', 'status leading', 'elected held', 'leader one']);
    const { lease } = election;
    await expect(lease?.release()).resolves.toBe(true);
    const over = ['aborted', 'released', 'deposed released', 'leader null'];
    expect(told.splice(0, 5)).toEqual(['status standing', ...over]);
    expect(lease).toMatchObject({ status: 'released', signal: { aborted: true, reason: { code: 'released' } } });
    await expect(lease?.release()).resolves.toBe(false);
    await leads(election);
    expect(election.lease).not.toBe(lease);
    told.splice(0);
    await election.stop();
    expect(told).toEqual(['status stopped', ...over]);
    expect(election).toMatchObject({ status: 'stopped', leader: null, lease: null });
  });

  it('stands again at the tail after a resignation', async () => {
    const name = freshName();
    const [one, two, three] = [
      made('1').elect(name, scope),
      made('2').elect(name, scope),
      made('3').elect(name, scope),
    ];
    await leads(one);
    await stands(two);
    await until(() => three.position === 1, 'the third has its place');
    await one.resign();
    await leads(two);
    await until(() => three.position === 0 && one.position === 1, 'places are told anew');
    await two.stop();
    await leads(three);
    await until(() => one.position === 0 && one.leader?.label === '3', 'the next is told');
    expect([one.status, two.status, three.status]).toEqual(['standing', 'stopped', 'leading']);
  });

  it('whoever leaves the queue makes room for those behind it', async () => {
    const name = freshName();
    const [one, two, three] = [
      made('1').elect(name, scope),
      made('2').elect(name, scope),
      made('3').elect(name, scope),
    ];
    await until(() => three.position === 1, 'the third has its place');
    await two.stop();
    await until(() => three.position === 0, 'the place is told anew');
    expect(one.isLeader).toBe(true);
  });

  it('robbed by foreign code it is deposed, and stands again behind the robber without robbing it', async () => {
    const name = freshName();
    const election = made('one').elect(name, scope);
    await leads(election);
    const { lease } = election;
    const told = tellingOf(election);
    const lost = vi.fn();
    lease?.on('lost', lost);
    let giveBack = (): void => undefined;
    const robbing = navigator.locks.request(`leasehold:${name}`, { steal: true }, () => {
      return new Promise<void>((resolve) => (giveBack = resolve));
    });
    await until(() => !election.isLeader, 'it is deposed');
    expect(told).toEqual(['status standing', 'deposed stolen', 'leader null']);
    expect(lost).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'stolen', retryable: true }));
    expect(() => lease?.assertHeld()).toThrow(/stolen/);
    expect(lease?.getSnapshot()).toMatchObject({ status: 'lost', error: { code: 'stolen' } });
    await sleep(30);
    expect(election).toMatchObject({ status: 'standing', leader: null });
    giveBack();
    await robbing;
    await leads(election);
  });

  it('nothing is believed of whoever says that it leads and has not got the lock', async () => {
    const name = freshName();
    const liar = new BroadcastChannel(`leasehold:${name}`);
    let giveBack = (): void => undefined;
    void navigator.locks.request(`leasehold:${name}`, () => new Promise<void>((resolve) => (giveBack = resolve)));
    const election = made('one').elect(name, scope);
    await stands(election);
    const told = tellingOf(election);
    const shown = { label: 'liar', since: 'now' };
    liar.postMessage({ kind: 'leads', reign: { id: 'x', client: 'elsewhere', shown } });
    for (const odd of [
      null,
      7,
      { kind: 'leads' },
      { kind: 'leads', reign: { id: 1, client: 'a', shown } },
      { kind: 'over' },
    ])
      liar.postMessage(odd);
    await sleep(50);
    expect([election.leader, told]).toEqual([null, []]);
    // The same word of one that has it is believed.
    const holder = (await navigator.locks.query()).held.find((one) => one.name === `leasehold:${name}`);
    liar.postMessage({ kind: 'leads', reign: { id: 'y', client: holder?.clientId, shown } });
    await until(() => election.leader?.label === 'liar', 'the word is believed');
    giveBack();
    await leads(election);
    liar.close();
  });

  it('is stopped by its signal, by the end of its client, and before it was loaded', async () => {
    const name = freshName();
    const owner = made('one');
    const controller = new AbortController();
    const [early, aborted, closed] = [
      owner.elect(name, { ...scope, signal: AbortSignal.abort() }),
      owner.elect(name, { ...scope, signal: controller.signal }),
      owner.elect(name, scope),
    ];
    const unloaded = owner.elect(name, scope);
    await unloaded.stop();
    expect([early.status, unloaded.status]).toEqual(['stopped', 'stopped']);
    await leads(aborted);
    controller.abort();
    expect(aborted.status).toBe('stopped');
    await leads(closed);
    await owner.close();
    expect(closed.status).toBe('stopped');
    expect(owner.elect(name, scope).status).toBe('stopped');
    await until(() => early.status === 'stopped', 'it stays so');
    await sleep(20);
    expect(await lockOf(name)).toBe(0);
  });

  it('a listener that stops it when it is elected leaves nothing held; one that throws stops no other', async () => {
    const name = freshName();
    const owner = made('one');
    const warned = vi.fn();
    owner.on('warning', warned);
    const election = owner.elect(name, scope);
    election.on('elected', () => {
      throw new Error('mine');
    });
    election.on('elected', () => void election.stop());
    const told = tellingOf(election);
    await until(() => election.status === 'stopped', 'it is stopped');
    await election.stop();
    expect(told.filter((one) => one.startsWith('deposed'))).toEqual(['deposed released']);
    expect(warned).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'listener' }));
    expect(await lockOf(name)).toBe(0);
  });

  it('puts the namespace before the name of the lock', async () => {
    const name = freshName();
    const [here, there] = [made('1', { namespace: 'a' }), made('2', { namespace: 'b' })];
    const elections = [here.elect(name, scope), there.elect(name, scope)];
    for (const election of elections) await leads(election);
    expect([await lockOf(`a/${name}`), await lockOf(`b/${name}`)]).toEqual([1, 1]);
  });

  it.each([
    [{ ttlMs: 5_000 }, /ttlMs means nothing with scope "browser"/],
    [{ priority: 1 }, /priority means nothing/],
    [{ renewWhile: () => true }, /renewWhile means nothing/],
    [{ waitMs: 5 }, /no such option "waitMs"/],
    [{ sope: 'browser' }, /no such option "sope"; did you mean "scope"/],
    [{ label: 7 }, /label is 7; allowed: string/],
    [{ label: 'a\nb' }, /control characters/],
    [{ signal: true }, /signal is true/],
    [{ scope: 'brwser' }, /scope is "brwser"; allowed: "browser"/],
  ])('refuses %o at once, in words', (given, words) => {
    const options = { ...scope, ...given } as BrowserElectOptions; // What types refuse, JavaScript does not.
    const elect = (): unknown => made('one').elect('n', options);
    expect(elect).toThrow(words);
    expect(elect).toThrow(expect.objectContaining({ code: 'bad-request' }));
  });

  it('a lease of it has no token, to TypeScript as it runs', async () => {
    const election = made('one').elect(freshName(), scope);
    await leads(election);
    const { lease } = election;
    if (lease === null) throw new Error('it leads');
    // @ts-expect-error -- a native lock has no fencing token.
    expect(lease.fencingToken).toBeUndefined();
    // @ts-expect-error -- nor a window.
    expect(lease.ttlMs).toBeUndefined();
    // @ts-expect-error -- nor a state.
    expect(lease.setState).toBeUndefined();
    // @ts-expect-error -- nor a hand-over.
    expect(lease.handOver).toBeUndefined();
  });
});
