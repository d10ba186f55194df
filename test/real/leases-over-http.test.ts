import { expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import type { Settled } from './support/client-process.ts';

interface View {
  readonly name: string;
  readonly holders: readonly {
    readonly heldForMs: number;
    readonly remainingMs: number;
    readonly ceilingLeftMs: number;
  }[];
}

/** Of `inspect` one, of `list` several. */
function viewsOf(settled: Settled): readonly View[] {
  if (!settled.ok) throw new Error(settled.message);
  return [settled.value].flat() as unknown as readonly View[]; // Held against what HTTP says.
}

/** Without what runs with the clock, which is checked to be near. */
function still(view: View, near: View): unknown {
  const holders = view.holders.map(({ heldForMs, remainingMs, ceilingLeftMs, ...rest }, index) => {
    const other = near.holders[index];
    for (const [mine, its] of [
      [heldForMs, other?.heldForMs],
      [remainingMs, other?.remainingMs],
      [ceilingLeftMs, other?.ceilingLeftMs],
    ])
      expect(Math.abs((mine ?? Number.NaN) - (its ?? Number.NaN))).toBeLessThanOrEqual(1_000);
    return rest;
  });
  return { ...view, holders };
}

test('what HTTP tells of a name and of all names with a prefix is what inspect and list tell', async () => {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const holder = bench.process().client('holder', coordinator.url, { metadata: { host: 'one' } });
  const waiter = bench.process().client('waiter', coordinator.url);
  for (const name of ['team/ü b', 'team/a', 'other', 'team/released']) await holder.acquire(name, name);
  await holder.setState('team/a', { done: [1, 2, 'three'] });
  await holder.setState('team/released', 7);
  await holder.release('team/released');
  const waiting = waiter.acquire('w', 'team/a');
  await bench.log.find('queued', () => true, 5_000, 'one waits');

  const http = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${coordinator.url.replace('ws:', 'http:')}/v1/leases${path}`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as T; // Held against what the client says.
  };
  for (const name of ['team/a', 'team/ü b', 'team/released', 'unheard-of']) {
    const [inspected] = viewsOf(await waiter.inspect(name));
    const told = await http<View>(`/${encodeURIComponent(name)}`);
    if (inspected === undefined) throw new Error('no view');
    expect(still(told, inspected)).toEqual(still(inspected, told));
    expect(told.name).toBe(name);
  }
  const listed = viewsOf(await waiter.list('team/'));
  const { leases: told } = await http<{ readonly leases: readonly View[] }>('?prefix=team%2F');
  expect(told.map(({ name }) => name)).toEqual(['team/a', 'team/released', 'team/ü b']);
  expect(told.map((view, index) => still(view, listed[index] ?? view))).toEqual(
    listed.map((view, index) => still(view, told[index] ?? view)),
  );
  await holder.release('team/a');
  await waiting;
  await bench.finish();
  expect(bench.violations).toEqual([]);
});
