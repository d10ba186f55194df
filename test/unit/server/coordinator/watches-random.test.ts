import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireLeaseView } from '../../../../shared/frames.ts';
import { leaseName } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import type { RawClient } from '../../../support/raw-client.ts';
import { shownNow, unwatch, watch } from './support/watching.ts';

const NAMES = ['n', 'm', 'k'];

interface Seen {
  readonly at: number;
  readonly view: WireLeaseView;
}

interface World {
  driver: CoreDriver;
  readonly clients: readonly RawClient[];
  readonly watcher: RawClient;
  /** What the watcher saw last of each name, in this run or an earlier one. */
  readonly seen: Map<string, Seen>;
  readonly told: { readonly name: string; readonly fencingToken: number }[];
  /** What went back, if anything did. */
  readonly wentBack: string[];
}

const counted = { views: 0, congested: 0, failures: 0, restarts: 0 };

function world(): World {
  const driver = new CoreDriver();
  const now: World = {
    driver,
    clients: ['a', 'b'].map((label) => driver.client(label).connect()),
    watcher: driver.client('watcher'),
    seen: new Map(),
    told: [],
    wentBack: [],
  };
  const { watcher } = now;
  watcher.answers = true;
  const hear = watcher.hear.bind(watcher);
  watcher.hear = (socket, messages) => {
    for (const message of messages) if (message.type === 'view') for (const view of message.views) see(now, view);
    hear(socket, messages);
  };
  watcher.connect();
  watchAll(now);
  return now;
}

/** S2, S4: what was seen once is not taken back, in whatever run of one journal. */
function see(now: World, view: WireLeaseView): void {
  const before = now.seen.get(view.name)?.view;
  const marks = (of: WireLeaseView | undefined) => [
    ...(of?.holders.map(({ fencingToken }) => fencingToken) ?? []),
    of?.lastFencingToken ?? 0,
  ];
  const version = (of: WireLeaseView | undefined): number => of?.state?.version ?? 0;
  if (Math.max(...marks(view)) > 0 && Math.max(...marks(view)) < Math.max(...marks(before)))
    now.wentBack.push(`token of ${view.name}`);
  if (version(view) > 0 && version(view) < version(before)) now.wentBack.push(`version of ${view.name}`);
  now.seen.set(view.name, { at: now.driver.now, view });
  counted.views += 1;
}

function watchAll({ watcher }: World): void {
  if (watcher.socket === null) watcher.connect();
  watcher.push(...NAMES.map((name) => watch(name)));
}

/** One act: which, by whom, and a number for the rest. */
type Act = readonly [number, number, number];

const ACTS: readonly ((now: World, client: RawClient, more: number) => void)[] = [
  (_, client, more) => {
    const waitMs = more % 4 === 0 ? { waitMs: durationMs(more % 3 === 0 ? 0 : 600) } : {};
    const terms = { ...waitMs, steal: more % 7 === 0, minHoldMs: durationMs((more % 2) * 300) };
    client.push(client.acquire(NAMES[more % 3] ?? 'n', 1_000 + (more % 5) * 1_000, terms));
  },
  ({ told }, client, more) => {
    const lease = told.at(-1 - (more % 3));
    if (lease !== undefined) client.push(client.setState(lease, more % 5 === 0 ? undefined : more));
  },
  ({ told }, client) => void client.push(client.renew(...told.slice(-3))),
  ({ told }, client, more) => {
    const lease = told.at(-1 - (more % 3));
    if (lease !== undefined) client.push(client.release(lease, more % 2 === 0));
  },
  (_, client, more) =>
    void client.push({
      type: 'cancel',
      request: client.acquire('n', 1_000, { request: `${client.label}-${more % 30}` }).request,
    }),
  ({ driver }, _, more) => {
    const name = leaseName(NAMES[more % 3] ?? 'n');
    driver.input({ kind: 'revoke', reference: 1, name, fencingToken: null, now: more % 2 === 0, by: 'x' });
  },
  ({ driver }, _, more) => {
    driver.disk = (['ok', 'slow', 'full'] as const)[more % 3] ?? 'ok';
    if (driver.disk === 'full') counted.failures += 1;
    if (driver.inFlight !== null) driver.finishAppend(more % 2 === 0);
  },
  ({ driver, watcher }, _, more) => {
    if (watcher.socket === null) return;
    counted.congested += 1;
    driver.input({ kind: 'congestion', socket: watcher.socket, congested: more % 3 > 0 });
  },
  (now, _, more) => {
    if (more % 2 === 0) now.watcher.drop();
    watchAll(now);
  },
  (_, client, more) => {
    if (more % 2 === 0) client.drop();
    else client.push({ type: 'bye', keepMs: durationMs(200) });
  },
  ({ watcher }, _, more) => {
    const name = NAMES[more % 3] ?? 'n';
    if (watcher.socket !== null) watcher.push(unwatch(`watch ${name}`), watch(name));
  },
  (now, _, more) => {
    if (more % 4 > 0) return;
    counted.restarts += 1;
    now.driver = now.driver.restart({ stored: more % 8 === 0 });
    now.watcher.connect();
    watchAll(now);
  },
];

function act(now: World, [which, who, more]: Act): void {
  const client = now.clients[who];
  if (client === undefined) throw new Error('there are two');
  if (client.socket === null) client.dialUp();
  ACTS[which]?.(now, client, more);
  if (more % 2 === 0) now.driver.turn();
  else now.driver.pass(more % 400);
  for (const one of now.clients)
    for (const { name, fencingToken } of one.take('granted')) now.told.push({ name, fencingToken });
}

/** The disk is well, the line is free, and nobody says anything more: in a while all is told. */
function comeToRest({ driver, watcher, clients }: World): void {
  driver.disk = 'ok';
  if (driver.inFlight !== null) driver.finishAppend();
  driver.settle();
  if (watcher.socket === null) watcher.connect().send(...NAMES.map((name) => watch(name)));
  if (watcher.socket !== null) driver.input({ kind: 'congestion', socket: watcher.socket, congested: false });
  for (const client of clients) client.answers = true;
  // What is told once a second is told when nothing has happened for a second.
  for (let before = -1; before < driver.happened.length; driver.pass(1_001)) before = driver.happened.length;
}

/** The view as it would be `ms` later, if nothing but time had passed. */
function later(view: WireLeaseView, ms: number): WireLeaseView {
  const holders = view.holders.map((holder) => ({
    ...holder,
    heldForMs: durationMs(holder.heldForMs + ms),
    remainingMs: durationMs(Math.max(0, holder.remainingMs - ms)),
    ceilingLeftMs: durationMs(Math.max(0, holder.ceilingLeftMs - ms)),
  }));
  return { ...view, holders };
}

describe('whatever happens to those who are watched', () => {
  const acts = fc.array(fc.tuple(fc.nat(ACTS.length - 1), fc.nat(1), fc.nat(1_000)), {
    minLength: 20,
    maxLength: 80,
    size: 'max',
  });

  test('S2 S4 the last view of each name is what is shown of it, and no token or version seen goes back', () => {
    fc.assert(
      fc.property(acts, (steps: readonly Act[]) => {
        const now = world();
        for (const step of steps) act(now, step);
        comeToRest(now);
        for (const name of NAMES) {
          const seen = now.seen.get(name);
          const passedMs = now.driver.now - (seen?.at ?? 0);
          expect(seen && later(seen.view, passedMs)).toEqual(shownNow(now.driver, name));
        }
        expect(now.wentBack).toEqual([]);
        expect(now.driver.core.status.watches).toBe(NAMES.length);
      }),
      // Seed and length can be given from outside, to look further than each commit does.
      { seed: Number(process.env['PROPERTY_SEED'] ?? 1), numRuns: Number(process.env['PROPERTY_RUNS'] ?? 150) },
    );
  });

  test('and that was no empty run', () => {
    expect(counted.views).toBeGreaterThan(2_500);
    expect(counted.congested).toBeGreaterThan(200);
    expect(counted.failures).toBeGreaterThan(100);
    expect(counted.restarts).toBeGreaterThan(40);
  });
});
