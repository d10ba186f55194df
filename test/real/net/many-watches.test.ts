import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Client } from 'leasehold';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireFreshBuild } from '../support/built.ts';
import { CoordinatorProcess } from '../support/coordinator-process.ts';

beforeAll(requireFreshBuild);

const LARGE = 'x'.repeat(60_000);
const names = Array.from({ length: 300 }, (_, index) => `n${index}`);

const folder = mkdtempSync(join(tmpdir(), 'leasehold-watches-'));
const clients: Client[] = [];
/** A process of its own: in this one, whoever works at its views would slow the coordinator down to its own pace. */
let coordinator: CoordinatorProcess;

function connected(label: string): Client {
  const client = connect(coordinator.url, { label });
  clients.push(client);
  return client;
}

beforeAll(async () => {
  coordinator = await CoordinatorProcess.start({ data: join(folder, 'a.db') });
  const holder = connected('holder');
  const leases = await Promise.all(names.map((name) => holder.acquire(name, { ttlMs: 300_000 })));
  for (const lease of leases) await lease.setState(LARGE);
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await coordinator.kill();
  rmSync(folder, { recursive: true });
});

/** Keeps this thread busy, as a page does that draws what it is shown. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

async function firstView(client: Client, name: string, workMs: number): Promise<string | null> {
  for await (const view of client.watch(name)) {
    work(workMs);
    return view.name;
  }
  return null;
}

describe('a client that opens 300 watches of 60 KB each', () => {
  test.each([0, 5, 15])(
    'R21 keeps its connection and its lease of 3 s, and sees every name, with %i ms of work for each view',
    async (workMs) => {
      const watcher = connected('watcher');
      const told: string[] = [];
      watcher.on('status', ({ status }) => void told.push(status));
      const lease = await watcher.acquire(`mine ${workMs}`, { ttlMs: 3_000 });
      lease.on('at-risk', () => void told.push('at-risk'));
      lease.signal.addEventListener('abort', () => void told.push('lost'));
      const from = performance.now();
      expect(await Promise.all(names.map((name) => firstView(watcher, name, workMs)))).toEqual(names);
      expect(performance.now() - from).toBeLessThan(15_000);
      expect(told).toEqual(['connecting', 'open']);
    },
  );
});
