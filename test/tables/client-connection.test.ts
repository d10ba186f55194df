import { describe, expect, test } from 'vitest';
import {
  CONNECTION_AT_START,
  connectionStep,
  type Connection,
  type ConnectionEvent,
  type ConnectionPhase,
  type Surroundings,
} from '../../client/core/connection-machine.ts';
import type { Reading } from '../../client/core/elapsed.ts';
import { failure } from '../../client/core/failures.ts';
import { dialNumber } from '../../client/core/types.ts';
import { frameNumber } from '../../shared/ids.ts';
import { monoMs } from '../../shared/time.ts';
import { SETTINGS } from '../support/sim/scripted.ts';
import { CONNECTION_STATES } from './client-connection.states.ts';
import { rowsOf } from './client-table.ts';

const at = (ms: number): Reading => ({ mono: monoMs(ms), real: monoMs(ms) });
const around = (chance: number, stakeMs = Infinity, waiterPauseMs = Infinity): Surroundings => ({
  settings: { ...SETTINGS, chance: () => chance },
  stakeMs,
  waiterPingMs: Infinity,
  waiterPauseMs,
});
const dial = dialNumber(4);
const DRAINING = failure('draining', 'stopping', true);

const PHASES: { readonly [K in ConnectionPhase['kind']]: ConnectionPhase } = {
  idle: { kind: 'idle' },
  asking: { kind: 'asking', dial, until: monoMs(5_000) },
  dialing: { kind: 'dialing', dial, until: monoMs(5_000) },
  open: { kind: 'open', dial, since: monoMs(0), heardAt: monoMs(500), pingMs: 2_250, pongs: [7, 9] },
  pausing: { kind: 'pausing', until: monoMs(5_000), failure: DRAINING, firm: false },
  refused: { kind: 'refused', failure: failure('version', 'too old') },
  closed: { kind: 'closed' },
};

const EVENTS: Readonly<Record<string, ConnectionEvent>> = {
  'look: early': { kind: 'look' },
  'look: due': { kind: 'look' },
  'want: ': { kind: 'want' },
  'rest: ': { kind: 'rest' },
  'end: ': { kind: 'end' },
  'credential: ': { kind: 'credential' },
  'opened: ': { kind: 'opened' },
  'welcomed: ': { kind: 'welcomed' },
  'heard: ': { kind: 'heard' },
  'slept: ': { kind: 'slept' },
  'pinged: naming a late frame': { kind: 'pinged', nextMs: 500, named: frameNumber(7), pong: frameNumber(10) },
  'pinged: naming no frame for two pings': {
    kind: 'pinged',
    nextMs: 500,
    named: frameNumber(6),
    pong: frameNumber(10),
  },
  'failed: without a word': { kind: 'failed', failure: null },
  'failed: for now': { kind: 'failed', failure: DRAINING },
  'failed: for good': { kind: 'failed', failure: failure('version', 'too old') },
  'failed: unauthorized': { kind: 'failed', failure: failure('unauthorized', 'over') },
  'failed: unauthorized again': { kind: 'failed', failure: failure('unauthorized', 'over') },
  'stale: ': { kind: 'stale' },
  'stale: for the second time': { kind: 'stale' },
};

const isPhase = (state: string): state is ConnectionPhase['kind'] => state in PHASES;
const connectionIn = (phase: ConnectionPhase, fields: Partial<Connection> = {}): Connection => ({
  ...CONNECTION_AT_START,
  dials: 4,
  phase,
  ...fields,
});

/** Fails `count` times in a row as soon as it dials; the pauses. */
function pausesOf(count: number, event: ConnectionEvent, surroundings: Surroundings): readonly number[] {
  let connection = CONNECTION_AT_START;
  const step = (one: ConnectionEvent, now: number): void => {
    connection = connectionStep(connection, one, at(now), surroundings).state;
  };
  const pauses: number[] = [];
  let now = 0;
  step({ kind: 'want' }, now);
  for (let index = 0; index < count; index += 1) {
    step({ kind: 'credential' }, now);
    step(event, now);
    if (connection.phase.kind !== 'pausing') throw new Error(connection.phase.kind);
    pauses.push(Math.round(connection.phase.until - now));
    now = connection.phase.until;
    step({ kind: 'look' }, now);
  }
  return pauses;
}

describe('the client connection', () => {
  test.each(rowsOf(CONNECTION_STATES))(
    '$state meets $kind $variation: $cell.why',
    ({ state, kind, variation, cell }) => {
      const event = EVENTS[`${kind}: ${variation}`];
      if (!isPhase(state) || event === undefined) throw new Error(`${state} ${kind} ${variation}`);
      const fields = {
        failures: variation === 'for the second time' ? 1 : 0,
        denied: variation === 'unauthorized again',
      };
      const step = connectionStep(
        connectionIn(PHASES[state], fields),
        event,
        at(variation === 'due' ? 5_000 : 4_900),
        around(0.5),
      );
      expect(step.state.phase.kind).toBe(cell.next);
      expect(step.effects.map((effect) => effect.kind)).toEqual(cell.effects);
    },
  );

  test('R9 each dial has a number of its own, rising', () => {
    const { state, effects } = connectionStep(connectionIn(PHASES.open), { kind: 'stale' }, at(4_900), around(0));
    expect(state.dials).toBe(5);
    expect(effects).toEqual([
      { kind: 'abandon', dial: 4 },
      { kind: 'ask-credential', dial: 5 },
    ]);
  });

  test('pauses of an unreachable coordinator double from 500 ms to maxBackoffMs, with full jitter', () => {
    expect(pausesOf(6, EVENTS['failed: without a word'] ?? { kind: 'look' }, around(0.999_999))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 8_000,
    ]);
    expect(pausesOf(3, EVENTS['failed: without a word'] ?? { kind: 'look' }, around(0))).toEqual([10, 10, 10]);
  });

  test('pauses after a refusal double from 1 s to 30 s, and half of each is fixed', () => {
    expect(pausesOf(6, EVENTS['failed: for now'] ?? { kind: 'look' }, around(0.999_999))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000,
    ]);
    expect(pausesOf(2, EVENTS['failed: for now'] ?? { kind: 'look' }, around(0))).toEqual([500, 1_000]);
  });

  test('pauses while a lease is at stake are short, and a third of what is left at most', () => {
    expect(pausesOf(6, EVENTS['failed: for now'] ?? { kind: 'look' }, around(0.999_999, 30_000))).toEqual([
      50, 100, 200, 400, 800, 1_000,
    ]);
    expect(pausesOf(4, EVENTS['failed: for now'] ?? { kind: 'look' }, around(0.999_999, 300))).toEqual([
      50, 100, 100, 100,
    ]);
    // What is left shrinks to nothing, the pause does not: no dial follows another in the same instant.
    expect(pausesOf(3, EVENTS['failed: for now'] ?? { kind: 'look' }, around(0.5, 1))).toEqual([10, 10, 10]);
  });

  test('pauses while something waits are as long as that can bear at most, and never under 10 ms', () => {
    const silent: ConnectionEvent = { kind: 'failed', failure: null };
    expect(pausesOf(5, silent, around(0.999_999, Infinity, 2_000))).toEqual([500, 1_000, 2_000, 2_000, 2_000]);
    expect(pausesOf(3, silent, around(0.999_999, Infinity, 300))).toEqual([300, 300, 300]);
    expect(pausesOf(3, silent, around(0.5, Infinity, 1))).toEqual([10, 10, 10]);
    // Whoever was refused keeps to the pauses of the refused.
    expect(pausesOf(3, { kind: 'failed', failure: DRAINING }, around(0.999_999, Infinity, 300))).toEqual([
      1_000, 2_000, 4_000,
    ]);
  });

  test('F60 a claim that comes into a long pause shortens it, by chance; into a firm one, or a short one, it does not', () => {
    const pausing = (until: number, firm: boolean): Connection =>
      connectionIn({ kind: 'pausing', until: monoMs(until), failure: DRAINING, firm });
    const untilOf = (connection: Connection, chance: number, waiterPauseMs: number): number => {
      const { phase } = connectionStep(
        connection,
        { kind: 'want' },
        at(0),
        around(chance, Infinity, waiterPauseMs),
      ).state;
      return 'until' in phase ? phase.until : 0;
    };
    expect([0, 0.5, 0.75].map((chance) => untilOf(pausing(8_000, false), chance, 2_000))).toEqual([10, 1_010, 1_510]);
    expect(untilOf(pausing(8_000, true), 0.5, 2_000)).toBe(8_000);
    expect(untilOf(pausing(1_999, false), 0.5, 2_000)).toBe(1_999);
    expect(untilOf(pausing(5, false), 0.5, 1)).toBe(5);
    const { state } = connectionStep(
      connectionIn(PHASES.open),
      { kind: 'failed', failure: { ...DRAINING, retryAfterMs: 9_000 } },
      at(5_000),
      around(0.5),
    );
    expect(state.phase).toMatchObject({ until: 18_500, firm: true });
  });

  test('F60 those who were told the same hint spread behind it, for as long again; none comes before it', () => {
    const told = { kind: 'failed', failure: { ...DRAINING, retryAfterMs: 1_000 } } as const;
    const untils = [0, 0.25, 0.999].map((chance) => {
      const { phase } = connectionStep(connectionIn(PHASES.open), told, at(5_000), around(chance)).state;
      return phase.kind === 'pausing' ? Math.round(phase.until - 5_000) : 0;
    });
    expect(untils).toEqual([1_000, 1_250, 1_999]);
  });

  test('a connection that was dropped within 5 s of its welcome does not reset the pauses; a good one does', () => {
    const open = connectionIn(PHASES.open, { failures: 4, turnedAway: 2 });
    const early = connectionStep(open, { kind: 'failed', failure: null }, at(4_999), around(0.999_999)).state;
    expect(early).toMatchObject({ failures: 5, turnedAway: 3, phase: { kind: 'pausing' } });
    expect(early.phase.kind === 'pausing' && Math.round(early.phase.until - 4_999)).toBe(4_000);
    const good = connectionStep(open, { kind: 'failed', failure: null }, at(5_000), around(0.999_999)).state;
    expect(good).toMatchObject({ failures: 1, turnedAway: 0, phase: { kind: 'pausing' } });
    expect(good.phase.kind === 'pausing' && Math.round(good.phase.until - 5_000)).toBe(500);
  });

  test('dials that nobody answered before it do not lengthen the pause behind a refusal', () => {
    const full = { kind: 'failed', failure: failure('unavailable', 'full', true) } as const;
    const first = connectionStep(connectionIn(PHASES.dialing, { failures: 9 }), full, at(0), around(0.999_999)).state;
    expect(first).toMatchObject({ failures: 10, turnedAway: 1 });
    expect(first.phase.kind === 'pausing' && Math.round(first.phase.until)).toBe(1_000);
    const second = connectionStep({ ...first, phase: PHASES.dialing }, full, at(0), around(0.999_999)).state;
    expect(second.phase.kind === 'pausing' && Math.round(second.phase.until)).toBe(2_000);
  });

  test('S10 a terminal refusal says why, and stays', () => {
    const { state } = connectionStep(
      connectionIn(PHASES.dialing),
      EVENTS['failed: for good'] ?? { kind: 'look' },
      at(1),
      around(0),
    );
    expect(state.phase).toMatchObject({ kind: 'refused', failure: { code: 'version', message: 'too old' } });
    const others = Object.values(EVENTS).filter(({ kind }) => kind !== 'end');
    for (const event of others)
      expect(connectionStep(state, event, at(9e9), around(0))).toEqual({ state, effects: [] });
  });

  test('a password in a URL is in no message', () => {
    const secretive: Surroundings = {
      ...around(0),
      settings: { ...SETTINGS, urls: ['wss://me:hunter2@host/x?token=abc'], chance: () => 0 },
    };
    const { state } = connectionStep(connectionIn(PHASES.dialing), { kind: 'failed', failure: null }, at(1), secretive);
    expect(JSON.stringify(state)).toContain('wss://host/x');
    expect(JSON.stringify(state)).not.toMatch(/hunter2|abc/);
  });

  test('several URLs are dialled in turn', () => {
    const two: Surroundings = {
      ...around(0),
      settings: { ...SETTINGS, urls: ['ws://one', 'ws://two'], chance: () => 0 },
    };
    const urls: string[] = [];
    let connection = connectionStep(CONNECTION_AT_START, { kind: 'want' }, at(0), two).state;
    for (let count = 0; count < 3; count += 1) {
      const now = at(10 * count);
      const dialled = connectionStep(connection, { kind: 'credential' }, now, two);
      for (const effect of dialled.effects) if (effect.kind === 'dial') urls.push(effect.url);
      connection = connectionStep(dialled.state, { kind: 'failed', failure: null }, now, two).state;
      connection = connectionStep(connection, { kind: 'look' }, at(10 * (count + 1)), two).state;
    }
    expect(urls).toEqual(['ws://one', 'ws://two', 'ws://one']);
  });
});
