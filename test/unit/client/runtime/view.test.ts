import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { namesIn } from '../../../../client/runtime/namespace.ts';
import { viewOf } from '../../../../client/runtime/view.ts';
import type { WireLeaseView } from '../../../../shared/frames.ts';
import { fencingToken, leaseName, sessionId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

const WIRE: WireLeaseView = {
  name: leaseName('acme/printer'),
  holders: [
    {
      label: 'tab',
      metadata: { host: 'a' },
      session: sessionId('s1'),
      fencingToken: fencingToken(7),
      mode: 'exclusive',
      heldForMs: durationMs(400),
      remainingMs: durationMs(3_000),
      ceilingLeftMs: durationMs(4_000),
    },
  ],
  queue: 2,
  state: { value: { count: 1 }, version: 3, fencingToken: fencingToken(7) },
  lastFencingToken: fencingToken(7),
};
const names = namesIn('acme');
const times = (view: ReturnType<typeof viewOf>) =>
  view.holders.map(({ heldForMs, remainingMs, ceilingLeftMs }) => [heldForMs, remainingMs, ceilingLeftMs]);

describe('a view', () => {
  it('is what came, without the namespace', () => {
    const [holder] = WIRE.holders;
    expect(viewOf(WIRE, names)).toEqual({ ...WIRE, name: 'printer', holders: [{ ...holder }] });
  });

  it('what changes by itself is worked out at each reading, in whole ms and never below 0', () => {
    const view = viewOf(WIRE, names);
    expect(times(view)).toEqual([[400, 3_000, 4_000]]);
    vi.advanceTimersByTime(1_250);
    expect(times(view)).toEqual([[1_650, 1_750, 2_750]]);
    vi.advanceTimersByTime(60_000);
    expect(times(view)).toEqual([[61_650, 0, 0]]);
  });

  it('R12 counts what a sleeping host slept, and a wall clock set back takes nothing away', () => {
    const view = viewOf(WIRE, names);
    vi.setSystemTime(Date.now() + 2_000);
    expect(times(view)).toEqual([[2_400, 1_000, 2_000]]);
    vi.setSystemTime(Date.now() - 60_000);
    expect(times(view)).toEqual([[400, 3_000, 4_000]]);
  });

  it('shows all of it as JSON, in a copy, and among its keys', () => {
    const view = viewOf(WIRE, names);
    vi.advanceTimersByTime(100);
    expect(JSON.parse(JSON.stringify(view))).toMatchObject({
      holders: [{ label: 'tab', heldForMs: 500, remainingMs: 2_900, ceilingLeftMs: 3_900 }],
    });
    expect(structuredClone(view)).toEqual(view);
    expect(Object.keys(view.holders[0] ?? {})).toEqual(
      expect.arrayContaining(['label', 'metadata', 'session', 'mode', 'heldForMs', 'remainingMs', 'ceilingLeftMs']),
    );
  });

  it('has null for what is not stored', () => {
    const bare = { name: leaseName('acme/n'), holders: [], queue: 0 };
    expect(viewOf(bare, names)).toEqual({ name: 'n', holders: [], queue: 0, state: null, lastFencingToken: null });
  });
});
