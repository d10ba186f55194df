import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Client, type Election, type LeaseView } from 'leasehold';
import { createCoordinator, sqliteJournal, type Coordinator } from 'leasehold-server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually, sleep } from './support/waiting.ts';

/** Over real sockets and a real file, in one process. */
let coordinator: Coordinator;
let folder: string;
let url: string;
const clients: Client[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'leasehold-elect-'));
  coordinator = createCoordinator({ journal: sqliteJournal({ path: join(folder, 'leases.db') }) });
  ({ url } = await coordinator.listen({ port: 0, host: '127.0.0.1' }));
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await coordinator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** With windows so long that nobody here waits for the end of one. */
function newClient(label: string): Client {
  const made = connect(url, { label, ttlMs: 60_000 });
  clients.push(made);
  return made;
}

const leads = (election: Election): Promise<true> =>
  eventually(() => (election.isLeader ? true : null), 2_000, `${election.name} leads`);
const labelOf = (view: LeaseView | null): string | null => view?.holders[0]?.label ?? null;
const sees = (election: Election, label: string | null): Promise<true> =>
  eventually(() => (labelOf(election.leader) === label ? true : null), 2_000, `the leader is ${label}`);

describe('elections over real sockets', () => {
  test('one leads and the other sees it; it resigns and the other leads; that one stops, and the first leads again', async () => {
    const [a, b] = [newClient('a'), newClient('b')];
    const first = a.elect('jobs');
    await leads(first);
    const second = b.elect('jobs');
    await sees(second, 'a');
    await eventually(() => (second.position === 0 ? true : null), 2_000, 'b has a place');
    expect(second).toMatchObject({ status: 'standing', isLeader: false });

    const resigned = first.lease;
    await first.resign();
    await leads(second);
    expect(resigned?.status).toBe('released');
    expect(second.lease?.fencingToken).toBeGreaterThan(resigned?.fencingToken ?? Infinity);
    await sees(first, 'b');
    expect(first.status).toBe('standing');

    await second.stop();
    await leads(first);
    expect(second).toMatchObject({ status: 'stopped', lease: null, leader: null });
    await sees(first, 'a');
    await first.stop();
    await eventually(() => (coordinator.status.leases === 0 ? true : null), 2_000, 'nothing is held');
    expect(coordinator.status).toMatchObject({ leases: 0, claims: 0, watches: 0 });
  });

  test('the state that one leader leaves is what the next begins with, and every candidate sees it change', async () => {
    const [a, b] = [newClient('a'), newClient('b')];
    const first = a.elect('jobs');
    await leads(first);
    const second = b.elect('jobs');
    await first.lease?.setState({ count: 41 });
    for (const election of [first, second])
      await eventually(
        () => (JSON.stringify(election.leader?.state?.value) === '{"count":41}' ? true : null),
        2_000,
        'the state is seen',
      );
    await first.stop();
    await leads(second);
    expect(second.lease?.state).toEqual({ count: 41 });
    expect(second.leader?.state?.value).toEqual({ count: 41 });
  });

  test('two candidates of one client on one name lead one after the other', async () => {
    const one = newClient('a');
    const elections = [one.elect('jobs'), one.elect('jobs')];
    const leaders = (): readonly Election[] => elections.filter(({ isLeader }) => isLeader);
    await eventually(() => (leaders().length === 1 ? true : null), 2_000, 'one of them leads');
    const [leader] = leaders();
    await leader?.stop();
    await eventually(() => (leaders().length === 1 ? true : null), 2_000, 'the other one leads');
    expect(leaders()[0]).not.toBe(leader);
  });

  test('R1 an operator revokes the leader: the next in line leads, and the first stands again', async () => {
    const [a, b] = [newClient('a'), newClient('b')];
    const first = a.elect('jobs');
    await leads(first);
    const deposed = vi.fn();
    first.on('deposed', deposed);
    const second = b.elect('jobs');
    await sees(second, 'a');
    await coordinator.revoke('jobs');
    await leads(second);
    expect(deposed).toHaveBeenCalledWith(expect.objectContaining({ code: 'revoked' }));
    await sees(first, 'b');
    expect(first.status).toBe('standing');
  });
});

describe('once over real sockets', () => {
  test('two machines that fire seconds apart do the work once, and the second says who did it', async () => {
    const work = vi.fn(() => 'done');
    const slot = '2026-11-30T02:00Z';
    const first = await newClient('a').once('invoices', { slot }, work);
    await sleep(1_500);
    const second = await newClient('b').once('invoices', { slot }, work);
    expect(first).toEqual({ ran: true, slot, value: 'done' });
    expect(second).toMatchObject({ ran: false, slot, by: 'a' });
    expect(work).toHaveBeenCalledTimes(1);
    await expect(newClient('b').once('invoices', { slot: 'next' }, work)).resolves.toMatchObject({ ran: true });
  });

  test('two that fire at once do the work once', async () => {
    const work = vi.fn(() => sleep(50));
    const fired = ['a', 'b', 'c'].map((label) => newClient(label).once('invoices', { slot: 's' }, work));
    const results = await Promise.all(fired);
    expect(results.filter(({ ran }) => ran)).toHaveLength(1);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
