import { describe, expect, test } from 'vitest';
import { reference } from '../../../../client/core/types.ts';
import { durationMs } from '../../../../shared/time.ts';
import { scripted } from '../../../support/sim/scripted.ts';

/** A claim for a name in a namespace that its caller does not see. */
const claiming = (waitMs: number | null = null) => {
  const world = scripted({ chance: () => 0 });
  const key = world.acquire('acme/n', { shownAs: 'n', waitMs: waitMs === null ? null : durationMs(waitMs) });
  world.open();
  return { world, key };
};

describe('a name in a namespace', () => {
  test('goes out whole; the lease bears the name that its caller knows', () => {
    const { world, key } = claiming();
    world.grant(key);
    world.do({ kind: 'release', key, reference: reference(1), handOver: false });
    expect(world.sent('acquire')).toMatchObject([{ name: 'acme/n' }]);
    expect(world.sent('release')).toMatchObject([{ name: 'acme/n' }]);
    expect(world.lease(key)?.name).toBe('n');
  });

  test('is not in what the client itself says of a claim or a lease', () => {
    const timed = claiming(12_000);
    timed.world.say({ type: 'queued', request: timed.key, position: 0, behind: 'self' });
    timed.world.pass(12_000);
    const waiting = claiming();
    waiting.world.say({ type: 'queued', request: waiting.key, position: 0, behind: 'other', holder: 'tab' });
    waiting.world.pass(10_000);
    const lost = claiming();
    lost.world.grant(lost.key);
    lost.world.do({ kind: 'renew', key: lost.key, reference: reference(1) });
    lost.world.say({ type: 'ended', name: 'acme/n' as never, fencingToken: 101 as never, code: 'revoked' });
    lost.world.do({ kind: 'renew', key: lost.key, reference: reference(2) });
    const said = JSON.stringify([
      timed.world.of('claim'),
      timed.world.of('warning'),
      waiting.world.of('warning'),
      lost.world.outcome(1),
      lost.world.outcome(2),
    ]);
    expect(said.match(/\\"n\\"/g)).toHaveLength(5);
    expect(said).not.toContain('acme');
  });
});
