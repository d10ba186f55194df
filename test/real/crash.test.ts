import { expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import type { ClientHandle } from './support/client-process.ts';
import type { CoordinatorProcess } from './support/coordinator-process.ts';
import { entriesOf, now } from './support/log.ts';
import { seeded } from './support/seeded.ts';
import { FULL } from './support/size.ts';
import { viewsOf } from './support/views.ts';
import { eventually, within } from './support/waiting.ts';

const ROUNDS = FULL ? 50 : 5;
const CLIENTS = 4;
const PER_CLIENT = 50;
const SPREAD_MS = 5;
/** Before the kill: of 200 grants and as many state writes; what is on its way then comes on top. */
const ACKNOWLEDGEMENTS_MAX = 150;

test(
  'S4 no acknowledged grant or state write is lost when the coordinator is killed in the middle of 200 grants, and tokens only rise',
  { timeout: ROUNDS * 20_000 },
  async () => {
    const told: Told[] = [];
    for (let round = 0; round < ROUNDS; round += 1) told.push(await playRound(round));
    // Kills that came before everything, or after it, would show nothing; a busy machine kills late now and then.
    const amidst = told.filter(({ grants }) => grants > 0 && grants < CLIENTS * PER_CLIENT);
    expect(amidst.length).toBeGreaterThanOrEqual(FULL ? ROUNDS / 2 : 1);
    expect(told.reduce((sum, { states }) => sum + states, 0)).toBeGreaterThan(0);
  },
);

interface Told {
  /** How many grants and state writes had been acknowledged when the kill came. */
  readonly grants: number;
  readonly states: number;
}

async function playRound(round: number): Promise<Told> {
  await using bench = new Bench();
  const coordinator = await bench.coordinator();
  const owner = bench.process();
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    owner.client(`c${index}`, coordinator.url, { maxBackoffMs: 500 }),
  );
  await Promise.all(clients.map((client) => client.ready()));
  const bursts = clients.map((client) => client.burst(`${client.label}-`, PER_CLIENT, SPREAD_MS));
  const victims = await killAfter(bench, coordinator, 1 + Math.floor(seeded(round) * ACKNOWLEDGEMENTS_MAX));
  const next = await bench.restart(coordinator);
  const shown = await viewsOf(await bench.raw(next), 'c');
  expect({ round, lost: [...lostGrants(victims, shown), ...lostStates(victims, shown)] }).toEqual({ round, lost: [] });

  await Promise.all(bursts);
  await stateWritesSettle(bench);
  expect(entriesOf(bench.log.entries, 'lost')).toEqual([]);
  expect(entriesOf(bench.log.entries, 'held')).toHaveLength(CLIENTS * PER_CLIENT);
  expect(await nextToken(clients[0])).toBeGreaterThan(Math.max(...victims.grants.values()));
  await bench.finish();
  expect(bench.violations).toEqual([]);
  return { grants: victims.grants.size, states: victims.states.size };
}

interface Acknowledged {
  /** Name to token. */
  readonly grants: ReadonlyMap<string, number>;
  /** Names whose state write was acknowledged. */
  readonly states: ReadonlySet<string>;
}

/** SIGKILL once that many acknowledgements have come. */
async function killAfter(
  bench: Bench,
  coordinator: CoordinatorProcess,
  acknowledgements: number,
): Promise<Acknowledged> {
  const { entries } = bench.log;
  let heard = 0;
  const killed = new Promise<void>((resolve) => {
    const stop = bench.log.watch(({ event }) => {
      if (event === 'held' || event === 'settled') heard += 1;
      if (heard < acknowledgements) return;
      stop();
      resolve(coordinator.kill());
    });
  });
  await within(killed, 20_000, `${acknowledgements} acknowledgements`);
  const at = now();
  // What a client heard before the kill was on its way before it; nothing more comes from a dead process.
  const grants = new Map(
    entriesOf(entries, 'held')
      .filter((held) => held.at < at)
      .map(({ name, token }) => [name, token]),
  );
  return { grants, states: new Set(settledStates(bench).map((what) => what.replace('setState ', ''))) };
}

const settledStates = (bench: Bench): readonly string[] =>
  entriesOf(bench.log.entries, 'settled')
    .filter(({ ok, what }) => ok && what.startsWith('setState '))
    .map(({ what }) => what);

type Shown = Awaited<ReturnType<typeof viewsOf>>;

const lostGrants = ({ grants }: Acknowledged, shown: Shown): readonly string[] =>
  [...grants].filter(([name, token]) => shown.get(name)?.holders[0]?.fencingToken !== token).map(([name]) => name);

const lostStates = ({ states, grants }: Acknowledged, shown: Shown): readonly string[] =>
  [...states].filter(
    (name) => JSON.stringify(shown.get(name)?.state?.value) !== JSON.stringify({ written: grants.get(name) }),
  );

function stateWritesSettle(bench: Bench): Promise<true> {
  const all = CLIENTS * PER_CLIENT;
  return eventually(() => (settledStates(bench).length === all ? true : null), 20_000, 'every state write settles');
}

async function nextToken(client: ClientHandle | undefined): Promise<number> {
  const probe = await client?.acquire('probe', 'probe');
  return probe?.ok === true ? Number(probe.value) : 0;
}
