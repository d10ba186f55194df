import type { Json } from '../../../shared/json.ts';
import { addMs, type Entry, type What } from '../../real/support/log.ts';
import type { ChaosRun, FaultSpan } from '../../chaos/run.ts';

/** Histories made by hand. Instants are milliseconds after this. */
export const START = 1_000_000_000n;

export const instantOf = (ms: number): bigint => addMs(START, ms);

export const entry = (ms: number, client: string, what: What): Entry => ({ at: instantOf(ms), client, ...what });

type Of = { readonly name?: string; readonly key?: string };
const lease = (
  token: number,
  { name = 'job', key = `k${token}` }: Of = {},
): { key: string; name: string; token: number } => ({
  key,
  name,
  token,
});

export const held = (ms: number, client: string, token: number, of?: Of): Entry =>
  entry(ms, client, { event: 'held', ...lease(token, of) });
export const released = (ms: number, client: string, token: number, of?: Of): Entry =>
  entry(ms, client, { event: 'released', ...lease(token, of) });
export const lost = (ms: number, client: string, token: number, of?: Of): Entry =>
  entry(ms, client, { event: 'lost', code: 'missed-ack', ...lease(token, of) });

type Message = { readonly [field: string]: Json };
export const sent = (ms: number, client: string, message: Message, dial = 1): Entry =>
  entry(ms, client, { event: 'sent', dial, messages: [message] });
export const received = (ms: number, client: string, message: Message, dial = 1): Entry =>
  entry(ms, client, { event: 'received', dial, messages: [message] });

export const fault = (kind: string, victim: string, from: number, to: number): FaultSpan => ({
  kind,
  victim,
  from: instantOf(from),
  to: instantOf(to),
});

export function runOf(entries: readonly Entry[], faults: readonly FaultSpan[] = [], lastMs = 1_000): ChaosRun {
  return {
    seed: 7,
    command: 'npm run chaos -- --seed 7',
    commit: 'abc1234',
    date: '2026-12-01T00:00:00.000Z',
    machine: 'a machine',
    leftOut: [],
    from: START,
    to: instantOf(lastMs),
    clients: ['A', 'B', 'C'],
    names: ['job'],
    faults,
    entries,
  };
}

/** One turn of the lock on recorded sockets: claimed, told, held, let go, and that answered. */
export function turn(
  client: string,
  token: number,
  at: { readonly claim: number; readonly told: number; readonly letGo: number; readonly answered: number },
  { name = 'job', state }: { readonly name?: string; readonly state?: Message } = {},
): readonly Entry[] {
  const request = `r${token}`;
  const granted: Message = {
    type: 'granted',
    request,
    name,
    fencingToken: token,
    ...(state === undefined ? {} : { state }),
  };
  return [
    sent(at.claim, client, { type: 'acquire', request, name, ttlMs: 3_000 }),
    received(at.told, client, granted),
    held(at.told, client, token, { name }),
    released(at.letGo, client, token, { name }),
    sent(at.letGo, client, { type: 'release', request: `l${token}`, name, fencingToken: token }),
    received(at.answered, client, { type: 'released', request: `l${token}`, released: true }),
  ];
}
