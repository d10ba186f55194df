import { describe, expect, test } from 'vitest';
import type { Plan } from '../support/sim/plan.ts';
import { play } from '../support/sim/simulation.ts';

/** Plans that once showed something, made small by `npm run sim`. docs/TRACK-RECORD.md says what each was. */
describe('found seeds', () => {
  test('seed 84: a client that was dropped soon after its welcome again and again comes back within its pause', () => {
    const plan: Plan = {
      seed: 84,
      workload: 'restarts',
      clients: 3,
      names: 1,
      faultyMs: 7_635,
      calmMs: 20_000,
      faults: [
        { at: 527, kind: 'pause', who: 'c', ms: 600, size: 0 },
        { at: 852, kind: 'reset', who: 'b', ms: 0, size: 0 },
        { at: 1_263, kind: 'put-away', who: 'a', ms: 1_500, size: 0 },
        { at: 1_377, kind: 'kill', who: 'b', ms: 662, size: 0 },
        { at: 2_184, kind: 'kill', who: 'c', ms: 200, size: 0 },
        { at: 3_896, kind: 'kill', who: 'c', ms: 50, size: 0 },
        { at: 4_659, kind: 'kill', who: 'b', ms: 200, size: 0 },
        { at: 5_240, kind: 'kill', who: 'c', ms: 1_511, size: 0 },
        { at: 6_818, kind: 'disk-full', who: 'b', ms: 764, size: 0 },
        { at: 7_634, kind: 'kill', who: 'b', ms: 1, size: 1 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 393: a lease whose end no disk had is over once more after a restart, and nobody believes in it', () => {
    const plan: Plan = {
      seed: 393,
      workload: 'mass-expiry',
      clients: 2,
      names: 1,
      faultyMs: 4_055,
      calmMs: 20_000,
      faults: [
        { at: 1_587, kind: 'disk-slow', who: 'all', ms: 3_503, size: 2_000 },
        { at: 2_185, kind: 'slow', who: 'all', ms: 1_083, size: 1_000 },
        { at: 3_529, kind: 'restart', who: 'a', ms: 0, size: 0 },
        { at: 4_054, kind: 'kill', who: 'b', ms: 1, size: 0 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 669: a lease that an older copy of the journal has again is held by nobody else', () => {
    const plan: Plan = {
      seed: 669,
      workload: 'restore',
      clients: 3,
      names: 1,
      faultyMs: 9_804,
      calmMs: 20_000,
      faults: [
        { at: 1_645, kind: 'slow', who: 'b', ms: 5_959, size: 1_000 },
        { at: 4_983, kind: 'backup', who: 'a', ms: 0, size: 0 },
        { at: 9_803, kind: 'restore', who: 'c', ms: 1, size: 0 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 2066: what is revoked by force is not called unread', () => {
    const plan: Plan = {
      seed: 2_066,
      workload: 'steal',
      clients: 3,
      names: 1,
      faultyMs: 1_284,
      calmMs: 20_000,
      faults: [
        { at: 461, kind: 'pause', who: 'coordinator', ms: 1_200, size: 0 },
        { at: 1_283, kind: 'revoke-now', who: 'c', ms: 0, size: 0 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 2371: S8 a page that is loaded again is heard of by its hello, though the welcome waits for the disk', () => {
    const plan: Plan = {
      seed: 2_371,
      workload: 'rolling',
      clients: 2,
      names: 2,
      faultyMs: 9_648,
      calmMs: 1_000,
      faults: [
        { at: 3_642, kind: 'reload', who: 'b', ms: 4_000, size: 1 },
        { at: 3_800, kind: 'farewell', who: 'a', ms: 1, size: 0 },
        { at: 4_956, kind: 'farewell', who: 'b', ms: 0, size: 0 },
        { at: 6_171, kind: 'reload', who: 'a', ms: 4_000, size: 1 },
        { at: 6_741, kind: 'copy', who: 'a', ms: 0, size: 1 },
        { at: 9_647, kind: 'reload', who: 'b', ms: 4_000, size: 0 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 30699: S1 where a disk is an older copy, a lease in doubt is not taken from it again', () => {
    const plan: Plan = {
      seed: 30_699,
      workload: 'restore',
      clients: 2,
      names: 1,
      faultyMs: 2_736,
      calmMs: 20_000,
      faults: [
        { at: 1_229, kind: 'sleep', who: 'a', ms: 2_872, size: 0 },
        { at: 2_347, kind: 'backup', who: 'b', ms: 0, size: 0 },
        { at: 2_735, kind: 'restore', who: 'a', ms: 25, size: 0 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 55369: S1 the same, while another still believes by what the copy has forgotten', () => {
    const plan: Plan = {
      seed: 55_369,
      workload: 'restore',
      clients: 2,
      names: 1,
      faultyMs: 10_328,
      calmMs: 20_000,
      faults: [
        { at: 2_848, kind: 'step', who: 'a', ms: 0, size: 4_000 },
        { at: 4_286, kind: 'reset', who: 'b', ms: 0, size: 0 },
        { at: 5_613, kind: 'sleep', who: 'a', ms: 3_973, size: 1_000 },
        { at: 6_474, kind: 'slow', who: 'a', ms: 3_752, size: 400 },
        { at: 7_685, kind: 'backup', who: 'a', ms: 0, size: 1 },
        { at: 10_327, kind: 'restore', who: 'a', ms: 25, size: 0 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 71529: in its quiet time a copy with a shorter window ends nothing too early', () => {
    const plan: Plan = {
      seed: 71_529,
      workload: 'restore',
      clients: 4,
      names: 1,
      faultyMs: 5_277,
      calmMs: 20_000,
      faults: [
        { at: 122, kind: 'limit', who: 'c', ms: 1_194, size: 2_500 },
        { at: 1_370, kind: 'backup', who: 'd', ms: 0, size: 1 },
        { at: 3_377, kind: 'restore', who: 'c', ms: 1, size: 0 },
        { at: 5_276, kind: 'restore', who: 'b', ms: 1, size: 0 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 7327: a page that comes back after a crash has no lease that another took over before it', () => {
    const plan: Plan = {
      seed: 7_327,
      workload: 'rolling',
      clients: 2,
      names: 1,
      faultyMs: 2_396,
      calmMs: 20_000,
      faults: [
        { at: 811, kind: 'reload', who: 'b', ms: 750, size: 2 },
        { at: 948, kind: 'disk-full', who: 'b', ms: 530, size: 0 },
        { at: 1_024, kind: 'copy', who: 'b', ms: 0, size: 1 },
        { at: 1_310, kind: 'pause', who: 'coordinator', ms: 1_200, size: 0 },
        { at: 2_395, kind: 'kill', who: 'b', ms: 1, size: 0 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 80519: S1 a lease that is offered twice is not believed behind the first answer alone', () => {
    const plan: Plan = {
      seed: 80_519,
      workload: 'callers',
      clients: 2,
      names: 2,
      faultyMs: 2_830,
      calmMs: 1_000,
      faults: [{ at: 2_829, kind: 'slow', who: 'b', ms: 1_331, size: 400 }],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 2141: calm times begin when what was held through the faults is over', () => {
    const plan: Plan = {
      seed: 2_141,
      workload: 'outages',
      clients: 4,
      names: 1,
      faultyMs: 5_047,
      calmMs: 20_000,
      faults: [
        { at: 388, kind: 'partition', who: 'c', ms: 3_940, size: 0 },
        { at: 4_749, kind: 'partition', who: 'all', ms: 5_598, size: 0 },
        { at: 4_749, kind: 'kill', who: 'all', ms: 1, size: 1 },
        { at: 5_046, kind: 'partition', who: 'd', ms: 1_332, size: 0 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 85003: S2 tokens rise over a journal that is set back within the second of its last start', () => {
    const plan: Plan = {
      seed: 85_003,
      workload: 'restore',
      clients: 4,
      names: 1,
      faultyMs: 8_134,
      calmMs: 20_000,
      faults: [
        { at: 742, kind: 'slow', who: 'a', ms: 2_933, size: 1_000 },
        { at: 2_718, kind: 'kill', who: 'c', ms: 3_046, size: 1 },
        { at: 5_887, kind: 'restore', who: 'a', ms: 1, size: 1 },
        { at: 8_133, kind: 'sleep', who: 'b', ms: 1_844, size: 2_500 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });

  test('seed 90111: a lease whose end a crash undid on a full disk is renewed in the next run', () => {
    const plan: Plan = {
      seed: 90_111,
      workload: 'hand-over',
      clients: 2,
      names: 1,
      faultyMs: 8_678,
      calmMs: 20_000,
      faults: [
        { at: 362, kind: 'sleep', who: 'b', ms: 4_559, size: 0 },
        { at: 1_433, kind: 'kill', who: 'a', ms: 1, size: 0 },
        { at: 2_259, kind: 'slow', who: 'a', ms: 4_734, size: 1_000 },
        { at: 3_531, kind: 'disk-full', who: 'b', ms: 1_533, size: 0 },
        { at: 4_857, kind: 'kill', who: 'b', ms: 1, size: 0 },
        { at: 8_202, kind: 'slow', who: 'b', ms: 364, size: 400 },
        { at: 8_503, kind: 'revoke', who: 'b', ms: 0, size: 0 },
        { at: 8_677, kind: 'kill', who: 'a', ms: 1, size: 1 },
      ],
    };
    expect(play(plan).problems).toEqual([]);
  });
});
