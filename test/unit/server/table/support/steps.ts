import * as fc from 'fast-check';
import { wallMs } from '../../../../../shared/time.ts';
import { claimsGone, quiet, setState, writable } from './lab.ts';
import { NAMES, SESSIONS, type World } from './world.ts';

/** One thing that happens. Named, so that a counterexample can be read. */
export interface Step {
  readonly what: string;
  readonly run: (world: World) => void;
  toString(): string;
}

const step = (what: string, run: (world: World) => void): Step => ({ what, run, toString: () => what });

const session = fc.constantFrom(...SESSIONS);
const name = fc.constantFrom(...NAMES);
const duration = fc.constantFrom(1, 100, 700, 1_000, 2_500);

/** An id names one request, so its number says which name it is for. */
const claim = fc.tuple(session, fc.constantFrom(1, 2, 3));
const nameOf = (number: number): string => NAMES[number % NAMES.length] ?? 'x';

const asking = fc.record(
  {
    ttlMs: fc.constantFrom(1_000, 2_000, 5_000),
    waitMs: fc.constantFrom(0, 800, 3_000),
    maxLifetimeMs: fc.constantFrom(2_000, 6_000),
    minHoldMs: fc.constantFrom(500, 2_000),
    lockDelayMs: fc.constantFrom(600, 3_000),
    priority: fc.constantFrom(-1, 1),
    renews: fc.boolean(),
    steal: fc.boolean(),
  },
  { requiredKeys: [] },
);

const asks = fc.tuple(claim, asking).map(([[by, number], given]) => {
  const all = { ttlMs: 3_000, ...given };
  return step(`acquire ${by}${number} ${JSON.stringify(all)}`, (world) =>
    world.acquire(`${by}${number}`, nameOf(number), all),
  );
});

const byHolder = fc.tuple(session, name, fc.nat(9)).map(([by, of, kind]) => {
  if (kind < 5) return step(`renew ${by} ${of}`, (world) => world.renew(by, of));
  if (kind < 7) return step(`release ${by} ${of}`, (world) => world.release(by, of, false));
  if (kind < 8) return step(`hand over ${by} ${of}`, (world) => world.release(by, of, true));
  return step(`acknowledge ${by} ${of}`, (world) => world.acknowledge(by, of));
});

const writes = fc.tuple(session, name, fc.nat(3)).map(([by, of, value]) =>
  step(`set-state ${by} ${of} ${value}`, (world) => {
    for (const belief of world.beliefs.filter((one) => one.session === by && one.name === of)) {
      const wall = Math.floor(world.real);
      world.command(
        setState(by, belief.token, `${value}`, { name: of, request: `${by}-state-${wall}-${value}`, wall }),
      );
    }
  }),
);

const bySession = fc.tuple(session, fc.nat(9)).map(([by, kind]) => {
  if (kind < 5) return step(`resume ${by}`, (world) => world.resume(by));
  if (kind < 9) return step(`silent ${by}`, (world) => world.fallSilent(by));
  return step(`gone ${by}`, (world) => world.command(claimsGone(by)));
});

const byClaim = fc
  .tuple(claim, fc.nat(3))
  .map(([[by, number], kind]) =>
    kind < 2
      ? step(`cancel ${by}${number}`, (world) => world.cancel(`${by}${number}`))
      : step(`amend ${by}${number} ${kind - 2}`, (world) => world.amend(`${by}${number}`, kind - 2)),
  );

const byAuthority = fc.tuple(name, fc.nat(14)).map(([of, kind]) => {
  if (kind < 5) return step(`revoke ${of}`, (world) => world.revoke(of, false));
  if (kind < 6) return step(`revoke ${of} now`, (world) => world.revoke(of, true));
  if (kind < 8) return step('quiet', (world) => world.command(quiet(world.lab.now + 1_500)));
  if (kind < 9) return step('lift the mark', (world) => world.liftMark(10));
  if (kind < 12) {
    const ttlMsMax = [1_500, 2_500, 9_000][kind - 9] ?? 9_000;
    return step(`windows of at most ${ttlMsMax}`, (world) => world.limit({ ttlMsMax }));
  }
  return step('drop idle states', (world) => {
    world.versions.clear();
    world.command({ kind: 'drop-idle-states', wall: wallMs(Math.floor(world.real)) });
  });
});

const time = fc.tuple(duration, fc.nat(7)).map(([ms, kind]) => {
  if (kind === 0) return step(`stall ${ms}`, (world) => world.pass(ms, Math.min(ms, 150)));
  return step(`pass ${ms}`, (world) => {
    world.pass(ms, ms);
    world.hear(world.lab.advance());
    world.check();
  });
});

/** As the coordinator does: one batch in flight, and nothing granted between a failure and the next success. */
export function arrive(world: World): void {
  if (world.lab.flying === null) return;
  world.hear(world.lab.arrive());
  world.command(writable(true));
}

export function take(world: World, withTime: boolean): void {
  if (world.lab.flying !== null) return;
  world.lab.take(withTime ? world.lab.noteTime() : []);
}

const disk = fc.nat(9).map((kind) => {
  if (kind < 4) return step(kind < 3 ? 'take, with time' : 'take', (world) => take(world, kind < 3));
  if (kind < 8) return step('arrive', arrive);
  return step('fail', (world) => {
    if (world.lab.flying === null) return;
    world.hear(world.lab.fail());
    world.command(writable(false));
  });
});

const restarts = fc.tuple(duration, fc.boolean()).map(([ms, stored]) =>
  step(`restart ${ms}${stored ? ', what was in flight stored' : ''}`, (world) => {
    if (stored) world.lab.store();
    world.restart(ms);
  }),
);

export const steps = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: asks },
    { weight: 8, arbitrary: byHolder },
    { weight: 2, arbitrary: writes },
    { weight: 4, arbitrary: bySession },
    { weight: 3, arbitrary: byClaim },
    { weight: 2, arbitrary: byAuthority },
    { weight: 8, arbitrary: time },
    { weight: 16, arbitrary: disk },
    { weight: 3, arbitrary: restarts },
  ),
  { maxLength: 150, size: 'max' },
);

/** Faults off: time passes, everybody is there, the disk stores. */
export function calm(world: World): void {
  take(world, false);
  arrive(world);
  for (const by of SESSIONS) world.resume(by);
  world.pass(10_000, 10_000);
  world.hear(world.lab.advance());
  world.check();
  for (const of of NAMES) for (const by of SESSIONS) world.release(by, of, false);
}
