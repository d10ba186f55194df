import type { Client } from '../../../../client/runtime/public-client.ts';
import type { Election, ElectOptions } from '../../../../client/runtime/public-election.ts';
import type { ConnectOptions, Warning } from '../../../../client/runtime/public-options.ts';
import type { ClientStatus, Failure, LeaseNews, LeaseSnapshot } from '../../../../client/core/types.ts';
import type { WireLeaseView } from '../../../../shared/frames.ts';
import { fencingToken, leaseName, sessionId, type RequestId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { releasing } from './run-support.ts';
import { grant, type Rig } from './support.ts';

/** What the coordinator shows while the one with this token holds, or nobody. */
export function shown(token: number | null, over: Partial<WireLeaseView> = {}): WireLeaseView {
  const left = { heldForMs: durationMs(10), remainingMs: durationMs(900), ceilingLeftMs: durationMs(9_000) };
  const one = { label: 'other', metadata: null, session: sessionId('s9'), mode: 'exclusive', ...left } as const;
  return {
    name: leaseName('jobs'),
    holders: token === null ? [] : [{ ...one, fencingToken: fencingToken(token) }],
    queue: 1,
    ...(token === null ? {} : { lastFencingToken: fencingToken(token) }),
    ...over,
  };
}

export interface Stand extends Rig {
  readonly client: Client;
  readonly election: Election;
  /** All that it tells, in order. */
  readonly told: string[];
  readonly warnings: Warning[];
  readonly keys: () => RequestId[];
  readonly connection: (status: ClientStatus) => void;
  readonly granted: (token: number, over?: Partial<LeaseSnapshot>) => void;
  readonly failed: (failure: Failure) => void;
  readonly ended: (news: LeaseNews) => void;
  readonly seen: (view: WireLeaseView) => void;
}

/** A candidate over a core that grants nothing by itself, and answers releases. */
export function stand(options: ElectOptions = {}, connect: ConnectOptions = {}): Stand {
  const rigged = releasing(connect);
  const { core, client, turn } = rigged;
  const answered = core.answer;
  core.answer = (event, now) => (event.kind === 'acquire' ? [] : answered(event, now));
  core.status = 'open';
  const warnings: Warning[] = [];
  client.on('warning', (warning) => void warnings.push(warning));
  const election = client.elect('jobs', options);
  const keys = (): RequestId[] => core.heard('acquire').map(({ key }) => key);
  const lastKey = (): RequestId => {
    const key = keys().at(-1);
    if (key === undefined) throw new Error('nothing was claimed');
    return key;
  };
  return {
    ...rigged,
    election,
    told: tellingOf(election),
    warnings,
    keys,
    connection(status) {
      core.status = status;
      turn({ kind: 'status', status, failure: null });
    },
    granted: (token, over = {}) =>
      turn(...grant(core, lastKey(), { name: leaseName('jobs'), fencingToken: fencingToken(token), ...over })),
    failed: (failure) => turn({ kind: 'claim', key: lastKey(), outcome: { kind: 'failed', failure } }),
    ended(news) {
      const key = lastKey();
      core.leases.delete(key);
      turn({ kind: 'lease', key, news });
    },
    seen(view) {
      const reference = core.heard('watch').at(-1)?.reference;
      if (reference === undefined) throw new Error('nothing is watched');
      turn({ kind: 'view', reference, view });
    },
  };
}

export function tellingOf(election: Election): string[] {
  const told: string[] = [];
  let last = election.status;
  election.subscribe(() => {
    const { status } = election.getSnapshot();
    if (status !== last) told.push(`status ${status}`);
    last = status;
  });
  election.on('elected', (lease) => {
    told.push(`elected ${lease.fencingToken}`);
    lease.signal.addEventListener('abort', () => told.push('aborted'));
    lease.on('lost', ({ code }) => void told.push(`lost ${code}`));
    lease.on('released', () => void told.push('released'));
  });
  election.on('deposed', ({ code }) => void told.push(`deposed ${code}`));
  election.on('leader', (view) => void told.push(`leader ${view?.holders[0]?.fencingToken ?? null}`));
  return told;
}
