import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sessionId } from '../../../../shared/ids.ts';
import { Lab } from './support/lab.ts';
import { calm, steps } from './support/steps.ts';
import { SESSIONS, World } from './support/world.ts';

/** The same cases in every run; `PROPERTY_RUNS=20000 PROPERTY_SEED=7` looks further. */
const RUNS = {
  seed: Number(process.env['PROPERTY_SEED'] ?? 1),
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? 200),
};

describe('whatever happens, in any order, with appends that fail and restarts', () => {
  test('S1 S2 S5 S8 R14 beliefs never overlap, tokens rise, queues keep their order, no claim and no state is lost', () => {
    const sum = { grants: 0, undone: 0, restarts: 0, contested: 0, ended: 0, passedOver: 0 };
    fc.assert(
      fc.property(steps, (happening) => {
        const world = new World();
        for (const step of happening) step.run(world);
        holdAgainstJournal(world);
        for (let round = 0; round < 30 && !isEmpty(world); round += 1) calm(world);
        expect(left(world)).toEqual({ leases: 0, waiting: 0, pending: 0, stored: [0, 0, 0] });
        for (const key of SUMS) sum[key] += world.tally[key];
      }),
      RUNS,
    );
    // The test was not empty.
    for (const key of SUMS) expect(sum[key]).toBeGreaterThan(RUNS.numRuns / 4);
  });

  test('R3 a dead holder is out after one window in the run that last heard it and one window of listening later', () => {
    const lives = fc.array(fc.tuple(fc.integer({ min: 1_000, max: 4_000 }), fc.boolean()), {
      minLength: 40,
      maxLength: 40,
    });
    fc.assert(
      fc.property(lives, (runs) => {
        const lab = new Lab();
        lab.granted('dead', { ttlMs: 8_000 });
        let listened = 0;
        for (const [ms, cutShort] of runs) {
          if (lab.table.counts().leases === 0) break;
          // The coordinator stores the silence once a second; what came after the last time is lost.
          for (let at = 1_000; at <= ms; at += 1_000) {
            lab.after(1_000);
            lab.flush(lab.noteTime());
          }
          listened += cutShort ? ms - (ms % 1_000) : ms;
          lab.after(cutShort ? 0 : ms % 1_000);
          if (lab.table.counts().leases > 0) lab.restart();
        }
        expect(lab.table.counts().leases).toBe(0);
        // Each restart loses less than a second of it.
        expect(listened).toBeLessThanOrEqual(2 * 8_000 + runs.length * 1_000);
      }),
      { ...RUNS, numRuns: 100 },
    );
  });
});

const SUMS = ['grants', 'undone', 'restarts', 'contested', 'ended', 'passedOver'] as const;

/** Once everything is on disk, the disk has what the table shows. */
function holdAgainstJournal(world: World): void {
  const { lab, waiting } = world;
  if (lab.flying !== null) world.hear(lab.arrive());
  world.hear(lab.flush());
  // One try that was taken back ends with the next tick.
  world.hear(lab.advance());
  world.hear(lab.flush());
  const held = SESSIONS.flatMap((session) => lab.table.heldBy(sessionId(session)).map((lease) => lease.fencingToken));
  expect(new Set([...lab.image.leases.values()].map((lease) => lease.fencingToken))).toEqual(new Set(held));
  expect(new Set([...lab.image.claims.values()].map((claim) => claim.terms.request))).toEqual(new Set(waiting.keys()));
  const { views } = lab.table.list(lab.now, '', '', 10);
  expect([...lab.image.states.values()]).toEqual(expect.arrayContaining(views.flatMap((view) => view.state ?? [])));
  expect(lab.table.counts().states).toBe(lab.image.states.size);
}

const isEmpty = (world: World): boolean =>
  world.lab.table.counts().leases + world.waiting.size + world.lab.image.closures.size === 0 &&
  !world.lab.table.hasDurable;

const left = ({ lab, waiting, pending }: World) => ({
  leases: lab.table.counts().leases,
  waiting: waiting.size,
  pending: pending.size,
  stored: [lab.image.leases.size, lab.image.claims.size, lab.image.closures.size],
});
