import {
  CHANNELS_PER_SOCKET,
  CONNECT_TIMEOUT_MS_DEFAULT,
  FRAME_BYTES_MAX,
  HELLO_BYTES_MAX,
  HELLO_WITHIN_MS,
  LIFETIME_MS_DEFAULT,
  LIFETIME_MS_MAX,
  STATE_BYTES_MAX,
  TTL_MS_MAX,
} from '../../shared/limits.ts';

const MIB = 1_048_576;
const DAY_MS = 86_400_000;

/** What an operator can set. `serve --print-config` shows it; each has a refusal with a code. */
export interface Limits {
  /** Longest window; a longer one that was asked is cut, and the grant says so. */
  readonly ttlMsMax: number;
  readonly lifetimeMsDefault: number;
  readonly lifetimeMsMax: number;
  /** Claims in one name's queue: `queue-full`. */
  readonly queueMax: number;
  /** Leases, claims and watches of one session: `too-many-requests`. */
  readonly perSessionMax: number;
  readonly stateBytesMax: number;
  /** Names with a state, and bytes of all states: `storage-full`. */
  readonly statesMax: number;
  readonly statesBytesMax: number;
  /** How long the state of a name that nobody holds is kept. */
  readonly stateIdleMs: number;
  readonly frameBytesMax: number;
  readonly helloBytesMax: number;
  readonly helloWithinMs: number;
  /** Outgoing bytes a socket: from here it is no longer read, and cut if its peer reads too little (`slow-consumer`). */
  readonly outgoingBytesMax: number;
  readonly messagesPerSecond: number;
  readonly messagesBurst: number;
  /** Over the rate for this long without pause: `rate-limited`. */
  readonly overRateMsMax: number;
  readonly sessionsMax: number;
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly unauthenticatedMax: number;
  /** Channels open at a time on one socket of `leasehold.v1.channels`: `too-many`. */
  readonly channelsPerSocketMax: number;
}

export const LIMITS_DEFAULT: Limits = {
  ttlMsMax: TTL_MS_MAX,
  lifetimeMsDefault: LIFETIME_MS_DEFAULT,
  lifetimeMsMax: LIFETIME_MS_MAX,
  queueMax: 10_000,
  perSessionMax: 1_000,
  stateBytesMax: STATE_BYTES_MAX,
  statesMax: 1_000_000,
  statesBytesMax: 1_024 * MIB,
  stateIdleMs: 7 * DAY_MS,
  frameBytesMax: FRAME_BYTES_MAX,
  helloBytesMax: HELLO_BYTES_MAX,
  helloWithinMs: HELLO_WITHIN_MS,
  outgoingBytesMax: 1 * MIB,
  messagesPerSecond: 5_000,
  messagesBurst: 20_000,
  overRateMsMax: 2 * CONNECT_TIMEOUT_MS_DEFAULT,
  sessionsMax: 50_000,
  connectionsMax: 20_000,
  connectionsPerAddressMax: 1_000,
  unauthenticatedMax: 1_000,
  channelsPerSocketMax: CHANNELS_PER_SOCKET,
};
