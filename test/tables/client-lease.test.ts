import { describe, expect, test } from 'vitest';
import type { Reading } from '../../client/core/elapsed.ts';
import {
  leaseOf,
  leaseStep,
  NEVER,
  type Lease,
  type LeaseEvent,
  type LeasePhase,
  type Means,
} from '../../client/core/lease-machine.ts';
import { windowOf } from '../../client/core/lease-window.ts';
import { fencingToken, frameNumber, leaseName, requestId } from '../../shared/ids.ts';
import { monoMs } from '../../shared/time.ts';
import { TERMS } from '../support/sim/scripted.ts';
import { BROWSER_STATES } from './browser-election.states.ts';
import { CLAIM_STATES } from './client-claim.states.ts';
import { CONNECTION_STATES } from './client-connection.states.ts';
import { ELECTION_STATES } from './client-election.states.ts';
import { LEASE_STATES, LEASE_VARIATIONS } from './client-lease.states.ts';
import { PREFERENCE_STATES } from './client-preference.states.ts';
import { printed, rowsOf } from './client-table.ts';

/** A window of 30 s from 0: a renewal is due at 20 s, belief stops at 27 s. */
const TTL_MS = 30_000;
const DAY_MS = 86_400_000;
const means: Means = { chance: () => 0, clockResolutionMs: 0 };
const terms = { ...TERMS, name: leaseName('n') };
const told = (leftMs: number) => ({ leftMs, ttlMs: TTL_MS, ceilingLeftMs: DAY_MS });
/** By the clock that counts sleep, a host that slept is this much further. */
const at = (mono: number, sleptMs = 0): Reading => ({ mono: monoMs(mono), real: monoMs(mono + sleptMs) });
const base = leaseOf(requestId('k'), fencingToken(5), terms, windowOf(told(TTL_MS), at(0), terms, 0), means);

/** In doubt since 21 s: the host slept 19 s. */
const SLEPT_MS = 19_000;
const FIRST_AFTER = frameNumber(7);

const PHASES: {
  readonly [K in LeasePhase['kind']]: { readonly phase: LeasePhase; readonly early: Reading; readonly due: Reading };
} = {
  resting: { phase: { kind: 'resting', renewAt: monoMs(20_000) }, early: at(19_999), due: at(20_000) },
  renewing: { phase: { kind: 'renewing', sent: true, until: monoMs(21_000) }, early: at(20_999), due: at(21_000) },
  silent: { phase: { kind: 'silent', sent: true, until: monoMs(22_000) }, early: at(21_999), due: at(22_000) },
  doubt: {
    phase: { kind: 'doubt', sent: true, until: monoMs(22_000), after: FIRST_AFTER },
    early: at(21_999, SLEPT_MS),
    due: at(22_000, SLEPT_MS),
  },
  handing: { phase: { kind: 'handing' }, early: at(21_999), due: at(22_000) },
  lost: { phase: { kind: 'lost', code: 'revoked' }, early: at(21_999), due: at(22_000) },
  released: { phase: { kind: 'released' }, early: at(21_999), due: at(22_000) },
};

const look = { kind: 'look', next: FIRST_AFTER, what: 'due' } as const satisfies LeaseEvent;
const simple = {
  release: { kind: 'release' },
  'hand-over': { kind: 'hand-over' },
  renew: { kind: 'renew' },
  sent: { kind: 'sent' },
} as const;

function eventOf(kind: string, variation: string, now: Reading): LeaseEvent {
  const anchor = { mono: monoMs(now.mono - 100), real: monoMs(now.real - 100) };
  const answer = { kind: 'told', told: told(TTL_MS), frame: FIRST_AFTER, anchor, answer: true } as const;
  const events: Record<string, LeaseEvent> = {
    'look: early': look,
    'look: due': look,
    'look: due, before the sockets': { ...look, what: 'over' },
    'look: over if it slept': look,
    'look: over': look,
    'told: longer': answer,
    'told: not longer': { ...answer, told: told(8_000) },
    'told: longer, in a frame without record': { ...answer, anchor: undefined },
    'told: longer, by a welcome': { ...answer, answer: false },
    'told: longer, from before the doubt': { ...answer, frame: frameNumber(FIRST_AFTER - 1) },
    'refused: for good': { kind: 'refused', code: 'superseded' },
    'refused: for now': { kind: 'refused', code: 'unavailable' },
    'end: acknowledged': { kind: 'end', code: 'revoked', reply: 'end-ack' },
    'end: given back': { kind: 'end', code: 'expired', reply: 'give-back' },
    'end: without a word': { kind: 'end', code: 'closed', reply: 'nothing' },
    'release: ': simple.release,
    'hand-over: ': simple['hand-over'],
    'handed: to the next': { kind: 'handed', code: null },
    'handed: to nobody': { kind: 'handed', code: 'nobody-waiting' },
    'handed: and over': { kind: 'handed', code: 'revoked' },
    'amend: ': { kind: 'amend', priority: 1 },
    'renew: ': simple.renew,
    'stop-renewing: ': { kind: 'stop-renewing' },
    'sent: ': simple.sent,
    'reconnected: ': { kind: 'reconnected' },
  };
  const event = events[`${kind}: ${variation}`];
  if (event === undefined) throw new Error(`no event for ${kind}: ${variation}`);
  return event;
}

function nowOf(phase: LeasePhase['kind'], variation: string): Reading {
  if (variation === 'over') return at(27_000);
  if (variation === 'over if it slept') return at(21_500, SLEPT_MS);
  return variation.startsWith('due') ? PHASES[phase].due : PHASES[phase].early;
}

const isPhase = (state: string): state is LeasePhase['kind'] => state in PHASES;

function meet(state: string, kind: string, variation: string) {
  if (!isPhase(state)) throw new Error(state);
  const lease: Lease = { ...base, phase: PHASES[state].phase };
  const now = nowOf(state, variation);
  return { lease, now, step: leaseStep(lease, eventOf(kind, variation, now), now, means) };
}

const rows = rowsOf(LEASE_STATES);

describe('client leases', () => {
  test.each(rows)('$state meets $kind $variation: $cell.why', ({ state, kind, variation, cell }) => {
    const { step } = meet(state, kind, variation);
    expect(step.state.phase.kind).toBe(cell.next);
    expect(step.effects.map((effect) => effect.kind)).toEqual(cell.effects);
  });

  test('R2 a lease that is over changes in nothing at all', () => {
    for (const { state, kind, variation } of rows) {
      if (state !== 'lost' && state !== 'released') continue;
      const { lease, step } = meet(state, kind, variation);
      expect(step).toEqual({ state: lease, effects: [] });
    }
  });

  test('R13 whatever says that it is over comes behind the end of the belief', () => {
    const words = rows.flatMap(({ state, kind, variation }) => {
      const kinds = meet(state, kind, variation).step.effects.map((effect) => effect.kind);
      return kinds.includes('give-back') || kinds.includes('end-ack') ? [kinds] : [];
    });
    expect(words.length).toBeGreaterThan(9);
    for (const kinds of words) expect(kinds).toEqual(['lost', kinds[1]]);
  });

  test('no cell of the table is without a test: each kind has its variations', () => {
    expect(rows).toHaveLength(Object.keys(PHASES).length * Object.values(LEASE_VARIATIONS).flat().length);
  });

  test('S6 nothing that an event can do keeps a lease beyond its stop margin', () => {
    for (const { state, kind, variation } of rows) {
      const { step } = meet(state, kind, variation);
      if (step.state.window !== base.window) continue;
      const over = leaseStep(step.state, look, at(27_000), means);
      expect(['lost', 'released']).toContain(over.state.phase.kind);
    }
  });

  test('the tables are the page docs/CLIENT-STATES.md', async () => {
    await expect(page()).toMatchFileSnapshot('../../docs/CLIENT-STATES.md');
  });

  test('a renewal by hand of a fixed window is sent, and nothing follows it by itself', () => {
    const fixed = leaseOf(base.key, base.token, { ...terms, renew: false }, base.window, means);
    expect(fixed.phase).toEqual({ kind: 'resting', renewAt: NEVER });
    const { state } = leaseStep(fixed, simple.renew, at(100), means);
    const answered = leaseStep(state, eventOf('told', 'longer', at(300)), at(300), means);
    expect(answered.state.phase).toEqual({ kind: 'resting', renewAt: NEVER });
  });
});

function page(): string {
  return `# States of the client

The five machines of the client's core, and that of an election in one browser: every state with every event, in each way
in which that can matter. Printed by
\`test/tables/client-lease.test.ts\` from the tables that tests hold the code against
(\`npx vitest run --project pure test/tables/client-lease.test.ts -u\`).

## A lease

- **resting**: held; nothing is under way.
- **renewing**: held; a renewal is out, or waits for a connection.
- **silent**: at risk: a renewal was not answered in time.
- **doubt**: at risk: the window is over if the host slept.
- **handing**: at risk: offered to the next in line.
- **lost**, **released**: over, for good.

Effects in order: news to people (\`at-risk\`, \`recovered\`, \`renewed\`, \`lost\`, \`released\`), then words to the coordinator
(\`give-back\`, \`end-ack\`) and to the connection (\`redial\`).

${printed(rows)}

## A claim

- **asking**: out, or to go out with the next socket; not answered.
- **queued**: the coordinator said where it stands.
- **pausing**: refused for now, or its grant came too late.
- **ended**: without a grant. A grant ends it too: from then on there is a lease.

${printed(rowsOf(CLAIM_STATES))}

## The connection

- **idle**: nothing is wanted.
- **asking**: the credential is asked.
- **dialing**: until the last part of the welcome.
- **open**: after it.
- **pausing**: before the next dial.
- **refused**, **closed**: for good.

${printed(rowsOf(CONNECTION_STATES))}

${electionsOfPage()}`;
}

const electionsOfPage = (): string => `## An election

- **standing**: its claim is asked. People read \`standing\` while there is a connection, and \`connecting\` otherwise.
- **leading**: under a lease.
- **pausing**: no claim is asked for a while: one was refused, or it led too briefly too often. People read \`connecting\`.
- **stopped**, **refused**: for good.

Effects in order: what is done (\`claim\`, \`pause\`, \`release\`, \`leave\`), then news to people (\`elected\`, \`deposed\`,
\`leader\`).

${printed(rowsOf(ELECTION_STATES))}

## A page that is to lead while it is seen

\`elect\` with \`prefer: 'visible'\`.

- **standing**: it does not lead.
- **leading**: under a lease.
- **holding**: out of sight and asked to yield, but it has led for less than 2,000 ms.

${printed(rowsOf(PREFERENCE_STATES))}

## An election in one browser

- **standing**: its request for the native lock is in the browser's queue.
- **leading**: it has the lock.
- **pausing**: it requests nothing for a while: a request failed, or it led too briefly too often. People read \`connecting\`.
- **away**: it requests nothing, since its page is put away or frozen. People read \`connecting\`.
- **stopped**, **refused**: for good.

Effects in order: news to people (\`elected\`, \`ended\`, \`deposed\`, \`leader\`), then what is done with the lock (\`free\`,
\`request\`), with the channel (\`ask\` and all that begin with \`tell\`), and with what is listened for (\`rest\`, \`leave\`).

${printed(rowsOf(BROWSER_STATES))}
`;
