import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import type { Client } from '../../../../client/runtime/public-client.ts';
import type { Lease } from '../../../../client/runtime/public-lease.ts';
import { rig, snapshot } from './support.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // What the flag puts there.

/** Memory is collected in turns of their own: what a turn has touched lives until its end. */
async function collected(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
}

function watched(): ReturnType<typeof rig> & { readonly told: string[] } {
  const made = rig();
  const told: string[] = [];
  made.client.on('warning', ({ code, message }) => told.push(`${code}: ${message}`));
  return { ...made, told };
}

/** In a function of its own, so that its caller keeps nothing. */
async function acquire<T>(client: Client, keep: (lease: Lease) => T): Promise<T> {
  return keep(await client.acquire('printer'));
}

it('F38 of a handle that was dropped while its lease is held one warning tells', async () => {
  const { client, told } = watched();
  await acquire(client, () => null);
  await vi.waitFor(async () => {
    await collected();
    expect(told).toEqual(['dropped: lease "printer" was dropped']);
  });
});

it('F38 what is over by then is not told of', async () => {
  const { client, core, told } = watched();
  await acquire(client, () => {
    const key = core.heard('acquire')[0]?.key as never; // Branded by the client; the scripted core takes any.
    core.leases.set(key, snapshot({ status: 'released', remainingMs: 0 }));
  });
  await collected();
  expect(told).toEqual([]);
});

it.each<[string, (lease: Lease) => unknown]>([
  ['the handle', (lease) => lease],
  ['a method', ({ release }) => release],
  ['its signal', ({ signal }) => signal],
  ['a listener', (lease) => lease.on('lost', () => undefined)],
])('F38 who keeps %s has not dropped the lease', async (_, keep) => {
  const { client, told } = watched();
  const kept = await acquire(client, keep);
  await collected();
  expect(told).toEqual([]);
  expect(kept).toBeDefined();
});
