import { expect, test } from 'vitest';
import * as ids from '../../../../../shared/ids.ts';
import { durationMs } from '../../../../../shared/time.ts';
import { granted, onLease, terms } from '../samples.ts';
import type { Ground } from './ground.ts';

/** What may never fall, and what a token that is not current may not change. */
export function tokensContract(ground: Ground): void {
  test('S2 the mark never falls: not with the leases, not by a smaller token', async () => {
    await ground.run([granted(90)], [{ kind: 'ended', name: terms().name, fencingToken: ids.fencingToken(90) }]);
    await ground.run([granted(80), { kind: 'mark', fencingToken: ids.fencingToken(70) }]);
    expect((await ground.run()).mark).toBe(90);
  });

  test('S5 the largest window stays when the lease that had it is gone', async () => {
    await ground.run([granted(7, { ttlMs: durationMs(99_000) })], [{ kind: 'ended', ...onLease }, granted(8)]);
    expect((await ground.run()).largestWindowMs).toBe(99_000);
  });

  test('S3 what names a token that is not current changes nothing', async () => {
    await ground.run([granted(7)]);
    const before = await ground.run();
    const stale = { name: terms().name, fencingToken: ids.fencingToken(6) };
    const elsewhere = { name: ids.leaseName('another'), fencingToken: ids.fencingToken(7) };
    for (const which of [stale, elsewhere]) {
      await ground.run([
        { kind: 'window', ...which, ttlMs: durationMs(80_000) },
        { kind: 'heard', ...which },
        { kind: 'silent', leases: [{ ...which, silentMs: durationMs(5) }] },
        { kind: 'ended', ...which },
      ]);
    }
    const { leases, mark, largestWindowMs } = await ground.run();
    expect({ leases, mark, largestWindowMs }).toEqual({ leases: before.leases, mark: 7, largestWindowMs: 30_000 });
  });

  test('S5 a stored window is never cut', async () => {
    await ground.run([granted(7)], [{ kind: 'window', ...onLease, ttlMs: durationMs(10_000) }]);
    expect((await ground.run()).leases[0]?.ttlMs).toBe(30_000);
  });

  test('S5 stored listening time never falls within a run', async () => {
    await ground.run(
      [granted(7, { grantedAtMs: durationMs(0) })],
      [{ kind: 'listened', listeningMs: durationMs(900) }],
      [{ kind: 'listened', listeningMs: durationMs(800) }],
    );
    expect((await ground.run()).leases[0]?.lifeMs).toBe(900);
  });
}
