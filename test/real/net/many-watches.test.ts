import { connect, type Client } from 'leasehold';
import { afterEach, describe, expect, test } from 'vitest';
import { start, stopAll } from './support/coordinators.ts';

const clients = new Set<Client>();
afterEach(async () => {
  await Promise.all([...clients].map((client) => client.close()));
  clients.clear();
  await stopAll();
});

function connected(url: string, label: string): Client {
  const client = connect(url, { label });
  clients.add(client);
  return client;
}

const WATCHES = 300;
const LARGE = 'x'.repeat(60_000);

/** Keeps this thread busy, as a page does that draws what it is shown. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('a client that opens 300 watches of 60 KB each', () => {
  test.each([0, 5, 15])(
    'R21 keeps its connection and its lease of 3 s, and sees every name, with %i ms of work for each view',
    async (workMs) => {
      const { url } = await start();
      const holder = connected(url, 'holder');
      const names = Array.from({ length: WATCHES }, (_, index) => `n${index}`);
      for (const name of names) {
        const lease = await holder.acquire(name, { ttlMs: 60_000 });
        await lease.setState(LARGE);
      }
      const watcher = connected(url, 'watcher');
      const told: string[] = [];
      watcher.on('status', ({ status }) => void told.push(status));
      const mine = await watcher.acquire('mine', { ttlMs: 3_000 });
      mine.on('at-risk', () => void told.push('at-risk'));
      mine.signal.addEventListener('abort', () => void told.push('lost'));
      const from = performance.now();
      const seen = await Promise.all(
        names.map(async (name) => {
          for await (const view of watcher.watch(name)) {
            work(workMs);
            return view.name;
          }
          return null;
        }),
      );
      expect(performance.now() - from).toBeLessThan(15_000);
      expect(seen).toEqual(names);
      expect(told).toEqual(['connecting', 'open']);
    },
    60_000,
  );
});
