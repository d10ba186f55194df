import { afterEach, describe, expect, test } from 'vitest';
import { memoryJournal } from '../../../server/journal/memory.ts';
import { createCoordinator } from '../../../server/coordinator.ts';
import { RawClient } from '../support/raw-client.ts';
import { eventually } from '../support/waiting.ts';
import { start, stopAll } from './support/coordinators.ts';

afterEach(stopAll);

async function get(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
}

describe('leases over HTTP', () => {
  test('what is held is shown as a watcher sees it, in pages too, and is counted by /readyz', async () => {
    const { url, http } = await start();
    const { client, welcome } = await RawClient.welcome(url, { label: 'tab 42', metadata: { page: 1 } });
    client.send({ type: 'watch', request: 'w', name: 'jobs/1' });
    expect(await client.take('view')).toMatchObject({
      request: 'w',
      views: [{ name: 'jobs/1', holders: [], queue: 0 }],
    });
    client.send({ type: 'acquire', request: 'r', name: 'jobs/1', ttlMs: 30_000 });
    const { fencingToken } = await client.take('granted');
    expect(await client.take('view')).toMatchObject({ request: 'w', views: [{ holders: [{ fencingToken }] }] });
    const view = {
      name: 'jobs/1',
      holders: [
        {
          label: 'tab 42',
          metadata: { page: 1 },
          session: welcome['session'],
          fencingToken,
          mode: 'exclusive',
          heldForMs: expect.any(Number) as unknown,
          remainingMs: expect.any(Number) as unknown,
          ceilingLeftMs: expect.any(Number) as unknown,
        },
      ],
      queue: 0,
      state: null,
      lastFencingToken: fencingToken,
    };
    expect(await get(`${http}/v1/leases/jobs%2F1`)).toEqual({ status: 200, body: view });
    expect(await get(`${http}/v1/leases?prefix=jobs/`)).toEqual({ status: 200, body: { leases: [view], next: null } });
    expect(await get(`${http}/v1/leases?after=jobs%2F1`)).toEqual({ status: 200, body: { leases: [], next: null } });
    expect(await get(`${http}/v1/leases/jobs/1`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not-found' } },
    });
    expect(await get(`${http}/v1/leases/%`)).toMatchObject({ status: 400, body: { error: { param: 'name' } } });
    expect(await get(`${http}/v1/leases/jobs%2F1`, { method: 'HEAD' })).toEqual({ status: 200, body: null });
    expect(await get(`${http}/readyz`)).toMatchObject({ status: 200, body: { leases: 1, watches: 1, sockets: 1 } });
    client.close();
    await eventually(
      async () => ((await get(`${http}/readyz`)).body as { watches: number }).watches === 0 || null,
      2_000,
      'none watched',
    );
  });

  test('what is left of a lease goes down although nobody asks for it but over HTTP', async () => {
    const { url, http } = await start();
    const { client } = await RawClient.welcome(url);
    client.send({ type: 'acquire', request: 'r', name: 'n', ttlMs: 1_000 });
    await client.take('granted');
    const left = async (): Promise<number | null> => {
      const { body } = await get(`${http}/v1/leases/n`);
      return (body as { holders: { remainingMs: number }[] }).holders[0]?.remainingMs ?? null;
    };
    const first = await left();
    expect(first).toBeGreaterThan(0);
    await eventually(async () => ((await left()) ?? 0) < (first ?? 0) - 200 || null, 1_500, 'less is left');
    await eventually(async () => (await left()) === null || null, 3_000, 'it is over');
    client.close();
  });

  test('a coordinator whose disk fails, and one that is draining, answer still', async () => {
    const faults = { failAppends: false };
    const { url, http, coordinator } = await start({
      journal: memoryJournal({
        faults: { beforeCommit: () => (faults.failAppends ? Promise.reject(new Error('full')) : Promise.resolve()) },
      }),
    });
    const { client } = await RawClient.welcome(url);
    client.send({ type: 'acquire', request: 'r', name: 'n', ttlMs: 30_000 });
    await client.take('granted');
    faults.failAppends = true;
    client.send({ type: 'acquire', request: 'r2', name: 'm', ttlMs: 30_000 });
    await eventually(async () => (await get(`${http}/readyz`)).status === 503 || null, 3_000, 'not ready');
    expect(await get(`${http}/v1/leases/n`)).toMatchObject({ status: 200, body: { holders: [{ mode: 'exclusive' }] } });
    expect(await get(`${http}/v1/leases/m`)).toMatchObject({ status: 200, body: { holders: [] } });
    faults.failAppends = false;
    const closing = coordinator.close({ drainMs: 2_000 });
    // Through the app, since its servers are about to go.
    const response = await coordinator.app.request('http://127.0.0.1/v1/leases/n');
    expect([response.status, await response.json()]).toMatchObject([200, { holders: [{ mode: 'exclusive' }] }]);
    await closing;
  });

  test('S10 a coordinator that cannot read its journal says so', async () => {
    const journal = { ...memoryJournal(), load: () => Promise.reject(new Error('damaged')) };
    const coordinator = createCoordinator({ journal });
    await expect(coordinator.ready).rejects.toThrow('damaged');
    const response = await coordinator.app.request('http://127.0.0.1/v1/leases');
    expect([response.status, await response.json()]).toMatchObject([503, { error: { code: 'unavailable' } }]);
    await coordinator.close({ drainMs: 0 });
  });
});
