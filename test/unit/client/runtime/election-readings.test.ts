import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { shown, stand } from './election-support.ts';
import { overByTheClock, tick } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

describe('elect: what a reading says', () => {
  it('S6 R18 a reading is answered by the clocks at once; whoever listens is told behind the turn, each change once', async () => {
    const { core, election, told, granted, keys } = stand();
    granted(7);
    told.splice(0);
    const [key] = keys();
    if (key) overByTheClock(core, key);
    const changes = vi.fn();
    election.subscribe(changes);
    const over = { isLeader: false, status: 'standing', lease: null, leader: null, position: null };
    const seen = election.getSnapshot();
    expect(seen).toEqual(over);
    expect(election).toMatchObject(over);
    expect([told, core.heard('acquire')]).toMatchObject([[], [{}]]);
    await tick();
    expect(told).toEqual(['status standing', 'aborted', 'lost missed-ack', 'deposed missed-ack', 'leader null']);
    expect(changes).toHaveBeenCalledTimes(1);
    expect(election.getSnapshot()).toBe(seen);
    expect(core.heard('acquire')).toHaveLength(2);
  });

  it('it has led since its grant, whatever views of it come meanwhile, in whole milliseconds', () => {
    const { election, seen, granted } = stand();
    granted(7, { remainingMs: 26_999.5, ceilingLeftMs: 9_000.25 });
    vi.advanceTimersByTime(50);
    seen(shown(7));
    vi.advanceTimersByTime(20);
    const mine = { heldForMs: 70, remainingMs: 26_999, ceilingLeftMs: 9_000 };
    expect(election.leader?.holders).toMatchObject([mine]);
  });
});
