import { describe, expect, test } from 'vitest';
import type { CoordinatorCore, Input, Output, Turn } from '../../../../server/core/core-types.ts';
import { socketId } from '../../../../server/core/core-types.ts';
import type { Batch, Journal } from '../../../../server/core/journal-port.ts';
import { listeningClock } from '../../../../server/core/listening-clock.ts';
import { Driver, type Spoken } from '../../../../server/net/driver.ts';
import { listeningMs, monoMs, type ListeningMs } from '../../../../shared/time.ts';
import { handLoop, type HandLoop } from './support/hand-loop.ts';

interface Rig {
  readonly driver: Driver;
  readonly loop: HandLoop;
  readonly turns: Turn[];
  readonly spoken: Spoken[];
  readonly broken: unknown[];
  /** What the core does next. */
  plan: { wake: number | null; mustListen: boolean; outputs: readonly Output[]; throws: boolean };
}

const closed: Input = { kind: 'socket-closed', socket: socketId(1) };
const notJournaled: Pick<Journal, 'append'> = { append: () => Promise.resolve() };

function rig(journal: Pick<Journal, 'append'> = notJournaled, plan: Partial<Rig['plan']> = {}): Rig {
  const loop = handLoop();
  const turns: Turn[] = [];
  const spoken: Spoken[] = [];
  const broken: unknown[] = [];
  const planned = { wake: null, mustListen: false, outputs: [], throws: false, ...plan };
  const status = {
    writable: true,
    draining: false,
    quietUntil: null,
    sessions: 0,
    sockets: 0,
    leases: 0,
    claims: 0,
    watches: 0,
    appends: 0,
  };
  const core: CoordinatorCore = {
    turn: (turn) => {
      turns.push(turn);
      if (planned.throws) throw new Error('a broken invariant');
      const { outputs } = planned;
      planned.outputs = [];
      return outputs;
    },
    nextWake: () => (planned.wake === null ? null : listeningMs(planned.wake)),
    get mustListen() {
      return planned.mustListen;
    },
    view: () => null,
    show: (_now, name) => ({ name, holders: [], queue: 0 }),
    list: () => ({ views: [], next: null }),
    status,
  };
  const clock = listeningClock(monoMs(0));
  const driver = new Driver({
    core,
    journal: { ...journal, load: () => Promise.reject(new Error('not here')), close: () => Promise.resolve() },
    loop,
    read: (mono): ListeningMs => clock.read(mono),
    speak: (output) => void spoken.push(output),
    appendFailed: () => undefined,
    broken: (error) => void broken.push(error),
  });
  return { driver, loop, turns, spoken, broken, plan: planned };
}

describe('S9 the driver', () => {
  test('S9 what one iteration brings is decided in one turn', () => {
    const { driver, loop, turns } = rig();
    loop.turn(10, () => {
      driver.input(closed);
      driver.input(closed);
    });
    expect(turns.map((turn) => turn.inputs.length)).toEqual([2]);
  });

  test('S9 a stall counts one step: what is over is told from before the sockets were read', () => {
    const { driver, loop, turns } = rig(notJournaled, { mustListen: true, wake: 1_000 });
    for (let ticks = 0; ticks < 12; ticks += 1) loop.turn(75);
    expect(turns).toHaveLength(0);
    // The loop stands still for 20 s; the renewal lies in its socket when it goes on.
    loop.turn(20_000, () => driver.input(closed));
    expect(turns).toMatchObject([{ expiry: 900 + 150, inputs: [closed] }]);
  });

  test('S9 expiry is never a reading from after the sockets of the turn were read', () => {
    const { driver, loop, turns } = rig(notJournaled, { mustListen: true });
    loop.turn(50, () => driver.input(closed));
    expect(turns[0]).toMatchObject({ expiry: 0, now: 50 });
    loop.turn(50, () => driver.input(closed));
    expect(turns[1]).toMatchObject({ expiry: 50, now: 100 });
    // A tick comes first in its iteration: its reading is the newer one.
    loop.turn(80, () => driver.input(closed));
    expect(turns[2]).toMatchObject({ expiry: 180, now: 180 });
  });

  test('S9 the clock ticks at least every 75 ms while something is held, and not at all while nothing is', () => {
    const busy = rig(notJournaled, { mustListen: true });
    busy.loop.pass(10_000);
    expect(busy.driver.lastReading).toBeGreaterThanOrEqual(9_925);
    const idle = rig();
    expect(idle.loop.timers).toBe(0);
  });

  test('S9 a deadline between two ticks is kept to the millisecond', () => {
    const { driver, loop, turns, plan } = rig(notJournaled, { mustListen: true });
    loop.turn(10, () => driver.input(closed));
    plan.wake = 103;
    loop.turn(1, () => driver.input(closed));
    const before = turns.length;
    loop.pass(91);
    expect(turns).toHaveLength(before);
    loop.pass(1);
    expect(turns).toHaveLength(before + 1);
    expect(turns.at(-1)?.expiry).toBe(103);
  });

  test('S9 a core whose wake is over but has nothing to do does not spin', () => {
    const { loop, turns } = rig(notJournaled, { wake: 0 });
    loop.pass(100);
    expect(turns.length).toBeLessThanOrEqual(100);
  });

  test('S10 readiness shows a loop that stood still, for a while', () => {
    const { driver, loop } = rig(notJournaled, { mustListen: true });
    loop.pass(500);
    expect(driver.isListening).toBe(true);
    loop.turn(1_500);
    expect(driver.isListening).toBe(false);
    loop.pass(2_100);
    expect(driver.isListening).toBe(true);
  });
});

describe('S4 the driver and the journal', () => {
  const batch: Batch = { sequence: 7, events: [] };

  test('F54 how long the last batch took to become durable is told, once there was one', async () => {
    let stored = (): void => undefined;
    const { driver, loop, plan } = rig({ append: () => new Promise((resolve) => (stored = resolve)) });
    expect(driver.lastAppendMs).toBeNull();
    plan.outputs = [{ kind: 'append', batch: { sequence: 7, events: [] } }];
    loop.turn(1, () => driver.input(closed));
    loop.turn(300);
    expect(driver.lastAppendMs).toBeNull();
    stored();
    await driver.settled();
    expect(driver.lastAppendMs).toBe(300);
  });

  test('S4 an append that has ended comes back in a turn, with its outcome', async () => {
    for (const [append, ok] of [
      [Promise.resolve(), true],
      [Promise.reject(new Error('disk full')), false],
    ] as const) {
      const { driver, loop, turns, plan } = rig({ append: () => append });
      plan.outputs = [{ kind: 'append', batch }];
      loop.turn(1, () => driver.input(closed));
      await driver.settled();
      loop.turn(1);
      expect(turns.at(-1)?.inputs).toEqual([{ kind: 'appended', sequence: 7, ok }]);
    }
  });

  test('S10 a core that throws is stopped: nothing is decided after a broken invariant', () => {
    const { driver, loop, turns, broken, plan } = rig();
    plan.throws = true;
    loop.turn(1, () => driver.input(closed));
    loop.turn(1, () => driver.input(closed));
    expect(turns).toHaveLength(1);
    expect(broken).toHaveLength(1);
    expect(loop.timers).toBe(0);
  });
});
