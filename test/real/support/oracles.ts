import { beliefsOf, type Belief } from './beliefs.ts';
import { entriesOf, msBetween, type Entry, type EventName } from './log.ts';
import { deadlinesOf } from './deadlines.ts';
import { stillMs, stillnessOf } from './stillness.ts';

/**
 * The oracles by which every run is judged. Pure functions over a run's log; they know nothing of the code under
 * test. Each returns what it found wrong, in words; an empty list is a pass.
 */
export type Oracle = (entries: readonly Entry[]) => readonly string[];

/** O1: grants of one lease come in the order of their tokens, and no token is granted twice, but for a page that goes on. */
export const tokensRise: Oracle = (entries) => {
  const wrong: string[] = [];
  const lastOf = new Map<string, { readonly at: bigint; readonly token: number; readonly client: string }>();
  const ownerOf = new Map<number, string>();
  const unsure = unsureNs(entries);
  const descends = descentIn(entries);
  for (const { at, name, token, client } of inOrder(entriesOf(entries, 'held'))) {
    const last = lastOf.get(name);
    if (last?.token === token && descends(client, last.client)) continue;
    if (last !== undefined && token <= last.token && at - last.at > unsure(client, last.client)) {
      wrong.push(`O1 ${name}: token ${token} (${client}) was granted after token ${last.token} (${last.client})`);
    }
    const owner = ownerOf.get(token);
    if (owner !== undefined) wrong.push(`O1 token ${token} was granted twice: for ${owner} and for ${name}`);
    lastOf.set(name, { at, token, client });
    ownerOf.set(token, name);
  }
  return wrong;
};

/** One grant as the coordinator recorded it; `endedAt` is absent while it lives. Instants of one clock, any unit. */
export interface GrantRecord {
  readonly name: string;
  readonly token: number;
  readonly grantedAt: number;
  readonly endedAt?: number;
}

/** O1 on the coordinator's own record: grants of one name never overlap, tokens rise over all grants. */
export function grantsNeverOverlap(grants: readonly GrantRecord[]): readonly string[] {
  const wrong: string[] = [];
  const lastOf = new Map<string, GrantRecord>();
  let lastToken = 0;
  for (const grant of grants) {
    if (grant.token <= lastToken) wrong.push(`O1 token ${grant.token} was recorded after token ${lastToken}`);
    lastToken = Math.max(lastToken, grant.token);
    const last = lastOf.get(grant.name);
    if (last !== undefined && (last.endedAt === undefined || last.endedAt > grant.grantedAt)) {
      wrong.push(`O1 ${grant.name}: token ${grant.token} was granted while token ${last.token} lived`);
    }
    lastOf.set(grant.name, grant);
  }
  return wrong;
}

/**
 * O2: the times in which clients believe that they hold the same lease never overlap. Whoever believed when an operator
 * forced the name open is left out from then on: S1 is given up for it, by somebody's word (docs/PROMISES.md).
 */
export const beliefsNeverOverlap: Oracle = (entries) => {
  const wrong: string[] = [];
  const unsure = unsureNs(entries);
  const forced = entriesOf(entries, 'forced');
  const unforced = (belief: Belief): Belief => {
    const cuts = forced.filter(({ name, at }) => name === belief.name && at >= belief.from && at < belief.to);
    return cuts.reduce((cut, { at }) => (at < cut.to ? { ...cut, to: at } : cut), belief);
  };
  for (const beliefs of byName(beliefsOf(entries)).values()) {
    let longest: Belief | undefined;
    for (const belief of beliefs.map(unforced).toSorted((a, b) => Number(a.from - b.from))) {
      if (longest !== undefined && belief.from + unsure(longest.client, belief.client) < longest.to)
        wrong.push(`O2 ${inWords(longest, belief)}`);
      if (longest === undefined || belief.to > longest.to) longest = belief;
    }
  }
  return wrong;
};

/**
 * O3: held never lasts past the local deadline: the instant at which the last acknowledged acquire or renewal was
 * sent, plus the window that its answer named. Judges the clients whose sockets were recorded.
 */
export const heldNeverPastDeadline: Oracle = (entries) => {
  const wrong: string[] = [];
  const deadlines = deadlinesOf(entries);
  for (const belief of beliefsOf(entries)) {
    const deadline = deadlines.get(belief.client)?.get(belief.token);
    if (deadline === undefined || belief.open) continue;
    if (belief.to > deadline) {
      const over = msBetween(deadline, belief.to).toFixed(3);
      wrong.push(
        `O3 ${belief.client} believed in ${belief.name} ${belief.token} for ${over} ms past its local deadline`,
      );
    }
  }
  for (const { at, client, name, token, status } of entriesOf(entries, 'read')) {
    const deadline = deadlines.get(client)?.get(token);
    if (deadline === undefined || at <= deadline || status === 'lost' || status === 'released') continue;
    wrong.push(
      `O3 ${client} read ${status} of ${name} ${token} ${msBetween(deadline, at).toFixed(3)} ms past its local deadline`,
    );
  }
  return wrong;
};

const OF_LEASES = new Set<EventName>(['held', 'at-risk', 'recovered', 'lost', 'released']);

/** O4: a lease ends once for its token, finally, and before any later acquisition of that name. */
export const lostOnceAndFirst: Oracle = (entries) => {
  const wrong: string[] = [];
  const ended = new Map<string, string>();
  const living = new Map<string, number>();
  for (const entry of inOrder(entries)) {
    if (entry.event === 'killed') forget(living, entry.client);
    if (!('token' in entry) || !OF_LEASES.has(entry.event)) continue;
    const token = `${entry.client} ${entry.token}`;
    const slot = `${entry.client} ${entry.name}`;
    const before = ended.get(token);
    if (before !== undefined) wrong.push(`O4 ${token}: ${entry.event} after it was ${before}`);
    if (entry.event === 'held') {
      const last = living.get(slot);
      if (last !== undefined) wrong.push(`O4 ${slot}: token ${entry.token} was held before token ${last} had ended`);
      living.set(slot, entry.token);
    } else if (entry.event === 'lost' || entry.event === 'released') {
      ended.set(token, entry.event);
      if (living.get(slot) === entry.token) living.delete(slot);
    }
  }
  return wrong;
};

/** O5 allows this much over a promise's bound: timers and the log itself take time on a busy machine. */
const SETTLE_SLACK_MS = 250;

/**
 * O5: nothing hangs, nothing rejects unhandled, no process dies by itself. The time in which a process stood still is
 * not counted: nothing settles there.
 */
export const nothingHangs: Oracle = (entries) => {
  const wrong: string[] = [];
  const settled = new Map(entriesOf(entries, 'settled').map((entry) => [entry.call, entry]));
  const killed = new Set(entriesOf(entries, 'killed').map((entry) => entry.client));
  const still = stillnessOf(entries);
  for (const call of entriesOf(entries, 'called')) {
    const end = settled.get(call.call);
    const who = `O5 ${call.client} ${call.what} (${call.call})`;
    if (end === undefined && !killed.has(call.client)) wrong.push(`${who} never settled`);
    if (end === undefined || call.withinMs === undefined || killed.has(call.client)) continue;
    const took = msBetween(call.at, end.at) - stillMs(still.get(call.client) ?? [], call.at, end.at);
    if (took > call.withinMs + SETTLE_SLACK_MS) {
      wrong.push(`${who} took ${took.toFixed(0)} ms, its bound is ${call.withinMs} ms`);
    }
  }
  for (const { client, text } of entriesOf(entries, 'unhandled')) wrong.push(`O5 ${client} unhandled: ${text}`);
  for (const { client, code, signal } of entriesOf(entries, 'exited')) {
    if (code !== 0 && !killed.has(client)) wrong.push(`O5 ${client} exited with ${code ?? signal}`);
  }
  return wrong;
};

/** What the coordinator counts; as `/readyz` tells it. */
export interface Counts {
  readonly sessions: number;
  readonly sockets: number;
  readonly leases: number;
  readonly claims: number;
  readonly watches: number;
}

/** O6: at rest, what is left is the expected small number. */
export function atRest(counts: Counts, expected: Partial<Counts>): readonly string[] {
  const wrong: string[] = [];
  for (const key of ['sessions', 'sockets', 'leases', 'claims', 'watches'] as const) {
    const wanted = expected[key];
    if (wanted !== undefined && counts[key] !== wanted)
      wrong.push(`O6 ${key} at rest: ${counts[key]}, expected ${wanted}`);
  }
  return wrong;
}

/** Whether a client dialled and was not welcomed: its session may exist all the same, and nobody says good-bye for it. */
export function gaveUpDial(entries: readonly Entry[]): boolean {
  const last = new Map<string, string>();
  for (const { client, status } of entriesOf(entries, 'status')) {
    if (status === 'backing-off' && last.get(client) === 'connecting') return true;
    last.set(client, status);
  }
  return false;
}

/** O1-O5 over one run. */
export function judge(entries: readonly Entry[]): readonly string[] {
  return [tokensRise, beliefsNeverOverlap, heldNeverPastDeadline, lostOnceAndFirst, nothingHangs].flatMap((oracle) =>
    oracle(entries),
  );
}

/** Whether a client's page was given what that of the other left, directly or by way of others. */
function descentIn(entries: readonly Entry[]): (client: string, from: string) => boolean {
  const parents = new Map(entriesOf(entries, 'descends').map(({ client, from }) => [client, from]));
  const descends = (client: string, from: string): boolean => {
    const parent = parents.get(client);
    return parent !== undefined && (parent === from || descends(parent, from));
  };
  return descends;
}

/** By how much stamps of two clients may be in the wrong order: not at all, except where one had to find out its clock. */
function unsureNs(entries: readonly Entry[]): (one: string, other: string) => bigint {
  const unsure = new Map<string, bigint>();
  for (const { client, withinMs } of entriesOf(entries, 'clock')) {
    const ns = BigInt(Math.round(withinMs * 1e6));
    if (ns > (unsure.get(client) ?? 0n)) unsure.set(client, ns);
  }
  return (one, other) => (one === other ? 0n : (unsure.get(one) ?? 0n) + (unsure.get(other) ?? 0n));
}

function inOrder<T extends { readonly at: bigint }>(entries: readonly T[]): readonly T[] {
  return entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function byName(beliefs: readonly Belief[]): Map<string, Belief[]> {
  const names = new Map<string, Belief[]>();
  for (const belief of beliefs) {
    const ofName = names.get(belief.name);
    if (ofName === undefined) names.set(belief.name, [belief]);
    else ofName.push(belief);
  }
  return names;
}

function inWords(first: Belief, second: Belief): string {
  const overlap = msBetween(second.from, first.to < second.to ? first.to : second.to).toFixed(3);
  return `${first.name}: ${first.client} (token ${first.token}) and ${second.client} (token ${second.token}) both believed for ${overlap} ms`;
}

function forget(living: Map<string, number>, client: string): void {
  for (const slot of living.keys()) if (slot.startsWith(`${client} `)) living.delete(slot);
}
