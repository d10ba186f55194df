import type { Code } from '../../../shared/codes.ts';
import type { LeaseName, RequestId, SessionId } from '../../../shared/ids.ts';
import { durationMs, type DurationMs } from '../../../shared/time.ts';
import type { NotCurrent } from './holders.ts';
import type { Table } from './table.ts';

/** A refusal has the value given, the range allowed, and says whether and when to try again (S10). */
export interface Refusal {
  readonly code: Code;
  readonly message: string;
  readonly param?: string;
  readonly retryAfterMs?: DurationMs;
}

/** What a refusal answers. */
export interface Asked {
  readonly session: SessionId;
  readonly request: RequestId;
  readonly name: LeaseName;
}

export function refuse(
  table: Table,
  { session, request, name }: Asked,
  { code, message, param, retryAfterMs }: Refusal,
): void {
  table.events.push({
    kind: 'refused',
    session,
    request,
    name,
    code,
    message,
    param: param ?? null,
    retryAfterMs: retryAfterMs ?? null,
  });
}

export const UNAVAILABLE: Refusal = {
  code: 'unavailable',
  message: 'the journal cannot be written now, so nothing is granted or stored; held leases go on; try again',
  retryAfterMs: durationMs(500),
};

export const DRAINING: Refusal = {
  code: 'draining',
  message: 'the coordinator is about to stop and grants nothing more; its leases are kept; try again at the next one',
  retryAfterMs: durationMs(1_000),
};

export const tooManyRequests = (max: number): Refusal => ({
  code: 'too-many-requests',
  message: `this session has ${max} leases, claims and watches, and may have ${max}; release, cancel or unwatch some`,
  retryAfterMs: durationMs(1_000),
});

export const queueFull = (max: number): Refusal => ({
  code: 'queue-full',
  message: `${max} claims wait for this name, and ${max} may; try again later`,
  retryAfterMs: durationMs(1_000),
});

export const quietFor = (quietMs: DurationMs): Refusal => ({
  code: 'quiet',
  message: `nothing is granted for ${quietMs} ms more, until every window that was granted earlier is over`,
  retryAfterMs: quietMs,
});

export const ALREADY_HELD: Refusal = {
  code: 'already-held',
  message: 'this session holds the name, and the claim asked to be refused then (whenOwn: "reject")',
  param: 'whenOwn',
};

export const otherName = (name: LeaseName): Refusal => ({
  code: 'bad-request',
  message: `this request id is in use for "${name}"; an id names one request`,
  param: 'request',
});

export const NOT_WAITING: Refusal = {
  code: 'bad-request',
  message:
    'no claim with this request id waits or is granted; only a claim, or the lease that came of it, has a priority to amend',
  param: 'request',
};

export const stateTooLarge = (bytes: number, max: number): Refusal => ({
  code: 'state-too-large',
  message: `the state has ${bytes} bytes of JSON, allowed are ${max}; the lease is untouched`,
  param: 'value',
});

export const statesFull = (what: string, max: number): Refusal => ({
  code: 'storage-full',
  message: `the coordinator keeps as many ${what} as it may (${max}); remove states that are not used, or try again later`,
  param: 'value',
  retryAfterMs: durationMs(60_000),
});

export const versionConflict = (asked: number, version: number): Refusal => ({
  code: 'version-conflict',
  message: `the state has version ${version}, the write asked for ${asked}; read it again and decide anew`,
  param: 'ifVersion',
});

export const notHeld = (code: NotCurrent, token: number): Refusal => ({
  code,
  message: `token ${token} ${NOT_HELD[code]}; nothing was changed`,
  param: 'fencingToken',
});

const NOT_HELD = {
  expired: 'is not held any more',
  superseded: 'is older than the last one granted for this name',
  forbidden: 'was granted to another session',
  revoked: 'was revoked by an operator',
  stolen: 'was stolen by another client',
} as const;
