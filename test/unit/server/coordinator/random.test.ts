import { describe, expect, test } from 'vitest';
import { leaseName } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import type { RawClient } from '../../../support/raw-client.ts';

/** Numerical Recipes' generator: enough to mix, and the same everywhere. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface World {
  driver: CoreDriver;
  readonly clients: readonly RawClient[];
  readonly pick: (below: number) => number;
  /** Leases that somebody was told of, by token. */
  readonly told: Map<number, { readonly name: string; readonly fencingToken: number }>;
  /** Tokens of grants in batches that failed. */
  readonly undone: Set<number>;
  grants: number;
  restarts: number;
  failures: number;
}

const NAMES = ['n', 'm', 'k'];

function world(seed: number): World {
  const driver = new CoreDriver();
  const clients = ['a', 'b', 'c', 'd'].map((label) => driver.client(label).connect());
  return {
    driver,
    clients,
    pick: chance(seed),
    told: new Map(),
    undone: new Set(),
    grants: 0,
    restarts: 0,
    failures: 0,
  };
}

const ACTS: readonly ((world: World, client: RawClient) => void)[] = [
  ({ pick }, client) => {
    const waits = [undefined, 0, 700][pick(3)];
    const terms = {
      steal: pick(8) === 0,
      minHoldMs: durationMs(pick(3) * 100),
      lockDelayMs: durationMs(pick(2) * 300),
    };
    client.push(
      client.acquire(NAMES[pick(3)] ?? 'n', 1_000 + pick(3_000), {
        ...terms,
        ...(waits === undefined ? {} : { waitMs: durationMs(waits) }),
      }),
    );
  },
  ({ pick }, client) =>
    void client.push({
      type: 'cancel',
      request: client.acquire('n', 1_000, { request: `${client.label}-${pick(40)}` }).request,
    }),
  ({ told }, client) => void client.push(client.renew(...told.values())),
  ({ told, pick }, client) => {
    const lease = [...told.values()][pick(told.size)];
    if (lease !== undefined) client.push(client.release(lease, pick(3) === 0));
  },
  ({ told, pick }, client) => {
    const lease = [...told.values()].at(-1);
    if (lease !== undefined) client.push(client.setState(lease, pick(5) === 0 ? undefined : pick(100)));
  },
  ({ told }, client) => {
    for (const { name, fencingToken } of told.values())
      client.push({ ...client.release({ name, fencingToken }), type: 'endAck' });
  },
  (_, client) => void client.push({ type: 'bye', keepMs: durationMs(300) }),
  (_, client) => void client.drop(),
  ({ driver, pick }) => {
    driver.disk = (['ok', 'ok', 'slow', 'full'] as const)[pick(4)] ?? 'ok';
    if (driver.inFlight !== null) driver.finishAppend(pick(3) > 0);
  },
  ({ driver, pick }) => {
    const name = leaseName(NAMES[pick(3)] ?? 'n');
    driver.input({ kind: 'revoke', reference: 1, name, fencingToken: null, now: pick(4) === 0, by: 'x' });
  },
  (now, client) => {
    if (now.pick(6) > 0) return;
    now.restarts += 1;
    // What a run undid it told nobody; the next one does not know of it.
    now.undone.clear();
    now.driver = now.driver.restart({ stored: now.pick(2) === 0 });
    client.connect();
  },
];

/** R15, S2: what is told of is stored, and no token that was undone is. */
function hear(now: World, client: RawClient): void {
  for (const grant of client.take('granted')) {
    now.grants += 1;
    expect(now.undone).not.toContain(grant.fencingToken);
    expect(now.driver.image.mark).toBeGreaterThanOrEqual(grant.fencingToken);
    now.told.set(grant.fencingToken, { name: grant.name, fencingToken: grant.fencingToken });
    if (now.told.size > 4) now.told.delete([...now.told.keys()][0] ?? 0);
  }
  client.take('ping');
  client.heard = [];
}

function act(now: World): void {
  const client = now.clients[now.pick(4)];
  if (client === undefined) return;
  if (client.socket === null) client.dialUp();
  ACTS[now.pick(ACTS.length)]?.(now, client);
  const before = now.driver.appends.length;
  if (now.pick(2) === 0) now.driver.turn();
  else now.driver.pass(now.pick(400));
  for (const batch of now.driver.appends.slice(before)) {
    if (now.driver.disk !== 'full') continue;
    now.failures += 1;
    for (const event of batch.events) if (event.kind === 'granted') now.undone.add(event.lease.fencingToken);
  }
  for (const one of now.clients) hear(now, one);
  for (const name of NAMES) {
    const holders = [...now.driver.image.leases.values()].filter((lease) => lease.terms.name === name);
    expect(holders.length).toBeLessThanOrEqual(1);
  }
}

/** Nobody is heard from any more, and the disk is well. */
function fallSilent({ driver, clients }: World): void {
  for (const client of clients) client.answers = false;
  driver.disk = 'ok';
  if (driver.inFlight !== null) driver.finishAppend();
  driver.pass(90_000);
}

describe('whatever is sent, however the disk does', () => {
  const totals = { grants: 0, restarts: 0, failures: 0 };

  test.each(Array.from({ length: 60 }, (_, index) => index))(
    'seed %i: S2, R15 hold, and nothing is left when all have fallen silent',
    (seed) => {
      const now = world(seed);
      for (let step = 0; step < 120; step += 1) act(now);
      fallSilent(now);
      const { driver } = now;
      expect(driver.core.status).toMatchObject({ writable: true, sessions: 0, sockets: 0, leases: 0, claims: 0 });
      expect([driver.core.nextWake(), driver.core.mustListen]).toEqual([null, false]);
      const { leases, claims, sessions, closures } = driver.image;
      expect([leases.size, claims.size, sessions.size, closures.size]).toEqual([0, 0, 0, 0]);
      for (const what of ['grants', 'restarts', 'failures'] as const) totals[what] += now[what];
    },
  );

  test('and that was no empty run', () => {
    expect(totals.grants).toBeGreaterThan(200);
    expect(totals.restarts).toBeGreaterThan(30);
    expect(totals.failures).toBeGreaterThan(200);
  });
});
