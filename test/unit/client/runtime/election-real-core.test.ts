import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeClientCore } from '../../../../client/core/client-core.ts';
import { makeClient } from '../../../../client/runtime/client.ts';
import type { Client } from '../../../../client/runtime/public-client.ts';
import { tellingOf } from './election-support.ts';
import { FakeSocket, lastSocket, tick } from './support.ts';

/** An election over the core that people get, with a socket whose other end is this file. */
beforeEach(() => {
  FakeSocket.made = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: Date.UTC(2026, 11, 1) });
});
afterEach(() => void vi.useRealTimers());

interface Sent {
  readonly type: string;
  readonly frame?: number;
  readonly request?: string;
  readonly fencingToken?: number;
}

const newClient = (): Client => makeClient(makeClientCore, 'ws://a.test', { WebSocket: FakeSocket, ttlMs: 3_000 });
const sent = (): Sent[][] =>
  // What the client sends is JSON of this shape; the expectations say the rest.
  lastSocket()
    .frames()
    .map((frame) => (Array.isArray(frame) ? frame : [frame]) as Sent[]);
const lastTypes = (): string[] | undefined =>
  sent()
    .at(-1)
    ?.map(({ type }) => type);
const say = (...messages: object[]): void => lastSocket().say('message', { data: JSON.stringify(messages) });
const lastRequest = (type: string): Sent | undefined =>
  sent()
    .flat()
    .findLast((message) => message.type === type);

async function welcome(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
  lastSocket().say('open');
  await tick();
  const frame = sent()[0]?.[0]?.frame;
  const session = { session: 's1', secret: 'x', resumed: false, journal: 'j1', protocol: 1, held: [], more: false };
  say({ type: 'welcome', frame, ...session, stateBytesMax: 65_536, frameBytesMax: 262_144 });
  await tick();
}

function grant(fencingToken: number): void {
  const frame = sent()
    .flat()
    .findLast((message) => message.frame !== undefined)?.frame;
  const times = { leftMs: 3_000, ttlMs: 3_000, ceilingLeftMs: 86_400_000 };
  say({ type: 'granted', request: lastRequest('acquire')?.request, name: 'jobs', fencingToken, frame, ...times });
}

const view = (token: number, session: string): void => {
  const left = { heldForMs: 1, remainingMs: 2_000, ceilingLeftMs: 9_000 };
  const holder = { label: 'x', metadata: null, session, fencingToken: token, mode: 'exclusive', ...left };
  const shown = { name: 'jobs', holders: [holder], queue: 0, lastFencingToken: token };
  say({ type: 'view', request: lastRequest('watch')?.request, views: [shown] });
};

describe('an election over the real core', () => {
  it('is connecting until its claim is on an open connection, and keeps its process meanwhile', async () => {
    const election = newClient().elect('jobs');
    expect(election.status).toBe('connecting');
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    await welcome();
    expect(election.status).toBe('standing');
    expect(lastTypes()).toEqual(['watch', 'acquire']);
    lastSocket().say('close', { code: 1006 });
    expect(election.status).toBe('connecting');
    await tick();
    expect(vi.getTimerCount()).toBeGreaterThan(0);
  });

  it('resign sends the release and the new claim in one frame, the release first', async () => {
    const election = newClient().elect('jobs');
    await welcome();
    grant(7);
    expect(election.isLeader).toBe(true);
    void election.resign();
    void election.resign();
    await tick();
    expect(lastTypes()).toEqual(['release', 'acquire']);
    expect(lastRequest('release')?.fencingToken).toBe(7);
  });

  it('S6 a leader that nobody hears is deposed at its stop margin, by a timer, and stands again', async () => {
    const election = newClient().elect('jobs');
    const told = tellingOf(election);
    await welcome();
    grant(7);
    told.splice(0);
    lastSocket().say('close', { code: 1006 });
    await vi.advanceTimersByTimeAsync(3_000 - 300);
    expect(told).toEqual(['status connecting', 'aborted', 'lost missed-ack', 'deposed missed-ack', 'leader null']);
    await welcome();
    expect(election.status).toBe('standing');
    // What it held is given back before it claims anew.
    const order = sent()
      .flat()
      .map(({ type }) => type);
    expect(order.indexOf('release')).toBeGreaterThan(0);
    expect(order.indexOf('release')).toBeLessThan(order.indexOf('acquire'));
  });

  it('a grant and a view in one frame are told in the order of a win', async () => {
    const election = newClient().elect('jobs');
    const told = tellingOf(election);
    await welcome();
    told.splice(0);
    view(7, 's1');
    grant(7);
    expect(told).toEqual(['leader 7', 'status leading', 'elected 7', 'leader 7']);
    expect(election.leader?.holders[0]).toMatchObject({ session: 's1', fencingToken: 7 });
  });

  it('an operator who revokes deposes it: it says that it stopped, and stands again', async () => {
    const election = newClient().elect('jobs');
    const told = tellingOf(election);
    await welcome();
    grant(7);
    told.splice(0);
    say({ type: 'ended', name: 'jobs', fencingToken: 7, code: 'revoked' });
    await tick();
    expect(told).toEqual(['status standing', 'aborted', 'lost revoked', 'deposed revoked', 'leader null']);
    expect(lastTypes()).toEqual(['endAck', 'acquire']);
  });

  it('a claim that an operator ends is asked anew after a pause', async () => {
    const election = newClient().elect('jobs');
    await welcome();
    view(5, 's9');
    const first = lastRequest('acquire')?.request;
    say({ type: 'error', request: first, code: 'revoked', message: 'by hand', retryable: false });
    expect(election.status).toBe('connecting');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(election.status).toBe('standing');
    expect(lastRequest('acquire')?.request).not.toBe(first);
  });

  it('one that is refused for good says why', async () => {
    const election = newClient().elect('jobs');
    await welcome();
    const { request } = lastRequest('acquire') ?? {};
    say({ type: 'error', request, code: 'forbidden', message: 'not yours', retryable: false });
    expect(election).toMatchObject({ status: 'refused', error: { code: 'forbidden', message: 'not yours' } });
    await tick();
    expect(lastTypes()).toEqual(['unwatch']);
  });

  it('a client that is refused refuses its elections, with the reason', async () => {
    const one = newClient();
    const leading = one.elect('jobs');
    const told = tellingOf(leading);
    await welcome();
    grant(7);
    told.splice(0);
    lastSocket().say('close', { code: 1006 });
    await vi.advanceTimersByTimeAsync(1_000);
    lastSocket().say('open');
    say({ type: 'error', code: 'version', message: 'too old', retryable: false });
    expect(told).toEqual(['status refused', 'aborted', 'lost unauthorized', 'deposed unauthorized', 'leader null']);
    expect(leading.error).toMatchObject({ code: 'refused', cause: { code: 'version' } });
    expect(one.elect('jobs')).toMatchObject({ status: 'refused', error: { code: 'refused' } });
  });

  it('the close of the client releases, and stops every election; one that begins later is stopped', async () => {
    const one = newClient();
    const election = one.elect('jobs');
    const told = tellingOf(election);
    await welcome();
    grant(7);
    told.splice(0);
    const closed = one.close();
    expect(told).toEqual(['status stopped', 'aborted', 'released', 'deposed released', 'leader null']);
    await tick();
    say({ type: 'released', request: lastRequest('release')?.request, released: true });
    await vi.advanceTimersByTimeAsync(2_000);
    await closed;
    expect(one.elect('jobs').status).toBe('stopped');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('F30 after a stop nothing is held: the socket is closed after idleMs, and no timer is left', async () => {
    const one = newClient();
    const election = one.elect('jobs');
    await welcome();
    grant(7);
    const stopped = election.stop();
    await tick();
    expect(lastTypes()).toEqual(['release', 'unwatch']);
    say({ type: 'released', request: lastRequest('release')?.request, released: true });
    await stopped;
    await vi.advanceTimersByTimeAsync(1_000);
    expect([one.status, vi.getTimerCount()]).toEqual(['idle', 0]);
  });

  it('F30 a candidate that waits leaves the queue when it stops, and the socket is closed after idleMs', async () => {
    const one = newClient();
    const election = one.elect('jobs');
    await welcome();
    const { request } = lastRequest('acquire') ?? {};
    say({ type: 'queued', request, position: 2, behind: 'other' });
    expect(election.position).toBe(2);
    await election.stop();
    await tick();
    expect(lastTypes()?.toSorted()).toEqual(['cancel', 'unwatch']);
    say({ type: 'error', request, code: 'cancelled', message: 'withdrawn', retryable: false });
    await vi.advanceTimersByTimeAsync(1_000);
    expect([one.status, vi.getTimerCount()]).toEqual(['idle', 0]);
  });
});
