import { expect, test } from 'vitest';
import { durationMs } from '../../../../../shared/time.ts';
import { claim, granted, onLease, session, state } from '../samples.ts';
import type { Ground } from './ground.ts';

/** What a run finds of the runs before. */
export function runsContract(ground: Ground): void {
  test('a new journal is fresh, has an id of its own, and says so until the first batch is stored', async () => {
    const first = await ground.run();
    expect(first).toMatchObject({
      fresh: true,
      run: 1,
      sequence: 0,
      mark: 0,
      largestWindowMs: 0,
      quietMs: 0,
      leases: [],
      claims: [],
    });
    expect(first.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await ground.run([])).toMatchObject({ id: first.id, fresh: true, run: 2 });
    expect(await ground.run()).toMatchObject({ id: first.id, fresh: false, run: 3, sequence: 1 });
    await ground.anew();
    expect((await ground.run()).id).not.toBe(first.id);
  });

  test('a run that stores nothing changes nothing but the run', async () => {
    await ground.run([
      granted(7),
      claim('a'),
      { kind: 'session', session: session() },
      { kind: 'state', state: state() },
    ]);
    const second = await ground.run();
    expect(await ground.run()).toEqual({ ...second, run: second.run + 1 });
  });

  test('S5 the life of a lease sums the listening time of all runs, from its grant', async () => {
    await ground.run(
      [granted(7, { grantedAtMs: durationMs(1000) })],
      [{ kind: 'listened', listeningMs: durationMs(4000) }],
    );
    expect((await ground.run([{ kind: 'listened', listeningMs: durationMs(600) }])).leases[0]).toMatchObject({
      lifeMs: 3000,
      grantedAtMs: 0,
    });
    expect((await ground.run()).leases[0]?.lifeMs).toBe(3600);
    expect((await ground.run()).leases[0]?.lifeMs).toBe(3600);
  });

  test('S5 a grant after the last stored listening time has no life, not a negative one', async () => {
    await ground.run([
      { kind: 'listened', listeningMs: durationMs(500) },
      granted(7, { grantedAtMs: durationMs(900) }),
    ]);
    expect((await ground.run()).leases[0]?.lifeMs).toBe(0);
  });

  test('S5 stored silence outlives runs, and the quiet time too', async () => {
    await ground.run([
      granted(7),
      { kind: 'silent', leases: [{ ...onLease, silentMs: durationMs(700) }] },
      { kind: 'quiet', quietMs: durationMs(50) },
    ]);
    await ground.run();
    expect(await ground.run()).toMatchObject({ quietMs: 50, leases: [{ silentMs: 700 }] });
  });
}
