import {
  CREDENTIAL_BYTES_MAX,
  FRAME_BYTES_MAX,
  ID_BYTES_MAX,
  KEEP_MS_MAX,
  LABEL_BYTES_MAX,
  LEASES_PER_RENEW_MAX,
  LIFETIME_MS_MAX,
  LIST_MAX,
  LOCK_DELAY_MS_MAX,
  METADATA_BYTES_MAX,
  MIN_HOLD_MS_MAX,
  NAME_BYTES_MAX,
  PING_MS_DEFAULT,
  PING_MS_MIN,
  PRIORITY_MAX,
  PRIORITY_MIN,
  STATE_BYTES_MAX,
  TTL_MS_MAX,
  TTL_MS_MIN_FIXED,
  WAIT_MS_MAX,
} from './limits.ts';
import type { FrameTable, MessageOf } from './frame-table.ts';

/** Number.MAX_SAFE_INTEGER, as a literal: reading it off `Number` counts as an effect when a bundler leaves out what is unused. */
const WHOLE_MAX = 2 ** 53 - 1;

/**
 * The messages of `leasehold.v1`, once (docs/PROTOCOL.md explains them). A frame is one message or an array of
 * them; the first message of a client's frame carries its number as `frame`. Unknown fields are ignored,
 * unknown types answered by an error.
 *
 * No spread and no operator in CLIENT_FRAMES: a bundler could not leave it out of the client, which checks only the other.
 */
const name = { kind: 'name' } as const;
const token = { kind: 'token' } as const;
const request = { kind: 'id', of: 'request' } as const;
const frame = { kind: 'frame' } as const;
const optionalFrame = { kind: 'frame', optional: true } as const;
/** What is left of a window, of a ceiling, of a queue: an amount that was worked out, never one that was asked. */
const left = { kind: 'duration', min: 0, max: WHOLE_MAX } as const;
const count = { kind: 'integer', min: 0, max: WHOLE_MAX } as const;
const optionalCount = { kind: 'integer', min: 0, max: WHOLE_MAX, optional: true } as const;
const code = { kind: 'text', bytesMax: ID_BYTES_MAX } as const;
const state = {
  kind: 'record',
  fields: { value: { kind: 'json', bytesMax: STATE_BYTES_MAX }, version: count, fencingToken: token },
} as const;

export const CLIENT_FRAMES = {
  hello: {
    frame,
    protocolMin: count,
    protocolMax: count,
    instance: { kind: 'id', of: 'instance' },
    /** The number of this dial, rising; a late `hello` of an abandoned socket never replaces a newer one (R9). */
    dial: count,
    credential: { kind: 'text', bytesMax: CREDENTIAL_BYTES_MAX, optional: true },
    label: { kind: 'text', bytesMax: LABEL_BYTES_MAX, optional: true },
    metadata: { kind: 'json', bytesMax: METADATA_BYTES_MAX, optional: true },
    resume: {
      kind: 'record',
      fields: {
        session: { kind: 'id', of: 'session' },
        secret: { kind: 'id', of: 'secret' },
        /** The instance that left its session to this one: what its `bye` would say, should that not have arrived (R10). */
        left: { kind: 'id', of: 'instance', optional: true },
      },
      optional: true,
    },
    /** The journal that this instance met before; another one than the coordinator's starts a quiet time (S5). */
    journal: { kind: 'id', of: 'journal', optional: true },
    /** The largest token that this instance was ever granted (S2); a larger one than the mark lifts it. */
    tokenMark: { kind: 'token', optional: true },
    /** The largest window that this instance was granted under that journal: how long quiet must last. */
    windowMs: { kind: 'duration', min: 0, max: TTL_MS_MAX, optional: true },
    pingMs: { kind: 'duration', min: PING_MS_MIN, max: PING_MS_DEFAULT, optional: true },
  },
  acquire: {
    frame: optionalFrame,
    request,
    name,
    ttlMs: { kind: 'duration', min: TTL_MS_MIN_FIXED, max: TTL_MS_MAX },
    /** Counted from reading this message; 0 is one try, absent is without limit. */
    waitMs: { kind: 'duration', min: 0, max: WAIT_MS_MAX, optional: true },
    priority: { kind: 'integer', min: PRIORITY_MIN, max: PRIORITY_MAX, optional: true },
    maxLifetimeMs: { kind: 'duration', min: TTL_MS_MIN_FIXED, max: LIFETIME_MS_MAX, optional: true },
    minHoldMs: { kind: 'duration', min: 0, max: MIN_HOLD_MS_MAX, optional: true },
    lockDelayMs: { kind: 'duration', min: 0, max: LOCK_DELAY_MS_MAX, optional: true },
    steal: { kind: 'flag', optional: true },
    /** False: one fixed window that is never renewed; then a TTL under 1 s is allowed. */
    renew: { kind: 'flag', optional: true },
    whenOwn: { kind: 'one-of', values: ['queue', 'reject'], optional: true },
  },
  amend: { frame: optionalFrame, request, priority: { kind: 'integer', min: PRIORITY_MIN, max: PRIORITY_MAX } },
  cancel: { frame: optionalFrame, request },
  renew: {
    frame: optionalFrame,
    request,
    leases: {
      kind: 'list',
      max: LEASES_PER_RENEW_MAX,
      item: { kind: 'record', fields: { name, fencingToken: token } },
    },
  },
  release: { frame: optionalFrame, request, name, fencingToken: token, handOver: { kind: 'flag', optional: true } },
  setState: {
    frame: optionalFrame,
    request,
    name,
    fencingToken: token,
    /** Absent: the state is removed; its version still rises. */
    value: { kind: 'json', bytesMax: FRAME_BYTES_MAX, optional: true },
    ifVersion: optionalCount,
  },
  endAck: { frame: optionalFrame, name, fencingToken: token },
  list: {
    frame: optionalFrame,
    request,
    /** Exactly this name, whether anybody holds it or not. */
    name: { kind: 'name', optional: true },
    prefix: { kind: 'text', bytesMax: NAME_BYTES_MAX, optional: true },
    after: { kind: 'text', bytesMax: NAME_BYTES_MAX, optional: true },
    limit: { kind: 'integer', min: 1, max: LIST_MAX, optional: true },
  },
  /**
   * Answered by a `view` of this name at once, and by another under the same request whenever it changes, until
   * `unwatch`, or until the socket is gone: a client that goes on watches again on its next one, and misses nothing.
   */
  watch: { frame: optionalFrame, request, name },
  /** Of the request of a `watch`; not answered. A view that is on its way may still come. */
  unwatch: { frame: optionalFrame, request },
  pong: { frame: optionalFrame, ping: count, clockMs: { kind: 'number' } },
  bye: {
    frame: optionalFrame,
    keepMs: { kind: 'duration', min: 0, max: KEEP_MS_MAX, optional: true },
    comesBack: { kind: 'flag', optional: true },
  },
} as const satisfies FrameTable;

const heldLease = {
  kind: 'record',
  fields: { name, fencingToken: token, leftMs: left, ttlMs: left, ceilingLeftMs: left },
} as const;

const holder = {
  kind: 'record',
  fields: {
    label: { kind: 'text', bytesMax: LABEL_BYTES_MAX },
    metadata: { kind: 'json', bytesMax: METADATA_BYTES_MAX },
    session: { kind: 'id', of: 'session' },
    fencingToken: token,
    mode: { kind: 'one-of', values: ['exclusive', 'shared'] },
    heldForMs: left,
    remainingMs: left,
    ceilingLeftMs: left,
  },
} as const;

const view = {
  kind: 'record',
  fields: {
    name,
    holders: { kind: 'list', max: LIST_MAX, item: holder },
    queue: count,
    state: { ...state, optional: true },
    lastFencingToken: { kind: 'token', optional: true },
  },
} as const;

export const COORDINATOR_FRAMES = {
  welcome: {
    /** The `hello` that this answers: the anchor of every `leftMs` in it (R8). */
    frame,
    session: { kind: 'id', of: 'session' },
    /** Only with a new session; the coordinator itself keeps a hash. */
    secret: { kind: 'id', of: 'secret', optional: true },
    resumed: { kind: 'flag' },
    /** Why a session that was asked for was not resumed. */
    note: { kind: 'one-of', values: ['unknown-session', 'in-use'], optional: true },
    journal: { kind: 'id', of: 'journal' },
    protocol: count,
    held: { kind: 'list', max: FRAME_BYTES_MAX, item: heldLease },
    /** Another `welcome` of the same `hello` follows; only the last one says what is missing. */
    more: { kind: 'flag' },
    quietMs: { ...left, optional: true },
    stateBytesMax: count,
    frameBytesMax: count,
  },
  granted: {
    request,
    name,
    fencingToken: token,
    frame,
    leftMs: left,
    ttlMs: left,
    ceilingLeftMs: left,
    state: { ...state, optional: true },
  },
  queued: {
    request,
    position: count,
    behind: { kind: 'one-of', values: ['self', 'other', 'nobody'] },
    holder: { kind: 'text', bytesMax: LABEL_BYTES_MAX, optional: true },
    heldForMs: { ...left, optional: true },
    remainingMs: { ...left, optional: true },
    quietMs: { ...left, optional: true },
  },
  /** The claim is out of the queue, since its session was silent; the client claims again under the same id. */
  gone: { request },
  renewed: {
    request,
    frame,
    leases: {
      kind: 'list',
      max: LEASES_PER_RENEW_MAX,
      item: {
        kind: 'record',
        fields: {
          name,
          fencingToken: token,
          /** Absent when `code` says why it was not renewed. */
          leftMs: { ...left, optional: true },
          ttlMs: { ...left, optional: true },
          ceilingLeftMs: { ...left, optional: true },
          code: { ...code, optional: true },
        },
      },
    },
  },
  /** `released` is false where the token was no longer current, or where a hand-over found nobody. */
  released: { request, released: { kind: 'flag' }, code: { ...code, optional: true } },
  stateSet: { request, version: count },
  amended: { request, position: count },
  /** The answer to `list`, and of a `watch` (one view, no `next`) as often as there is news. */
  view: {
    request,
    views: { kind: 'list', max: LIST_MAX, item: view },
    next: { kind: 'text', bytesMax: NAME_BYTES_MAX, optional: true },
  },
  ended: { name, fencingToken: token, code },
  ceilingNear: { name, fencingToken: token, ceilingLeftMs: left },
  /** To the holder: a claim of this priority, higher than that of the lease, has begun to wait. */
  yieldRequested: { name, fencingToken: token, priority: { kind: 'integer', min: PRIORITY_MIN, max: PRIORITY_MAX } },
  error: {
    request: { ...request, optional: true },
    code,
    message: { kind: 'text', bytesMax: 2_048 },
    retryable: { kind: 'flag' },
    retryAfterMs: { ...left, optional: true },
    param: { kind: 'text', bytesMax: ID_BYTES_MAX, optional: true },
    /** With `wait-timeout`: how many stood before it. */
    position: { ...count, optional: true },
  },
  ping: {
    ping: count,
    nextMs: left,
    /** The last frame of this instance that was read: a way up that is dead shows (R21). */
    frame,
    queue: {
      kind: 'list',
      max: LIST_MAX,
      item: { kind: 'record', fields: { request, position: count } },
      optional: true,
    },
  },
  draining: { retryAfterMs: left },
} as const satisfies FrameTable;

export type ClientMessage = MessageOf<typeof CLIENT_FRAMES>;
export type ClientMessageType = ClientMessage['type'];
export type ClientMessageOf<T extends ClientMessageType> = Extract<ClientMessage, { readonly type: T }>;
export type CoordinatorMessage = MessageOf<typeof COORDINATOR_FRAMES>;
export type CoordinatorMessageType = CoordinatorMessage['type'];
export type CoordinatorMessageOf<T extends CoordinatorMessageType> = Extract<CoordinatorMessage, { readonly type: T }>;

export type LeaseState = NonNullable<CoordinatorMessageOf<'granted'>['state']>;
export type WireLeaseView = CoordinatorMessageOf<'view'>['views'][number];
export type WireHeld = CoordinatorMessageOf<'welcome'>['held'][number];
