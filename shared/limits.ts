/**
 * Every default and limit of the protocol, once. Those that an operator can change are the coordinator's
 * `Limits` (server/core/limits.ts), which start from these.
 */
const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KIB = 1_024;

export const PROTOCOL = 'leasehold.v1';
/** The same, many sessions on one socket. */
export const CHANNELS_PROTOCOL = 'leasehold.v1.channels';
/** Channels that one of its sockets carries: what clients keep to, and a coordinator's default. */
export const CHANNELS_PER_SOCKET = 32;
export const PROTOCOL_VERSION = 1;
export const SOCKET_PATH = '/v1/socket';
export const DEFAULT_PORT = 7_400;

export const TTL_MS_DEFAULT = 30 * SECOND;
/** Least window of a lease that renews. In a page with throttled timers 3 s is the least that is comfortable. */
export const TTL_MS_MIN = 1 * SECOND;
/** Least window of a lease that does not renew (`renew: false`). */
export const TTL_MS_MIN_FIXED = 250;
export const TTL_MS_MAX = DAY;
export const LIFETIME_MS_DEFAULT = DAY;
export const LIFETIME_MS_MAX = 30 * DAY;
export const WAIT_MS_MAX = DAY;
export const MIN_HOLD_MS_MAX = HOUR;
/** R24: a longer lock-delay would be a second lease that nobody holds. */
export const LOCK_DELAY_MS_MAX = 60 * SECOND;
export const PRIORITY_MIN = -100;
export const PRIORITY_MAX = 100;
export const HOLDERS_MAX = 1_000;

export const NAME_BYTES_MAX = 256;
export const LABEL_BYTES_MAX = 128;
export const METADATA_BYTES_MAX = 1 * KIB;
export const STATE_BYTES_MAX = 64 * KIB;
/** Of a slot of `once`. So many slots fit into a state, even where JSON writes each byte of slot and label as six. */
export const SLOT_BYTES_MAX = 128;
export const ONCE_SLOTS_MAX = 32;
export const CREDENTIAL_BYTES_MAX = 8 * KIB;
export const ID_BYTES_MAX = 64;
export const FRAME_BYTES_MAX = 256 * KIB;
export const HELLO_BYTES_MAX = 16 * KIB;
/** A `welcome` is cut into parts of at most this size. */
export const WELCOME_BYTES_MAX = 64 * KIB;
/** What the envelope of a channel may have beside its frame, in bytes and in levels of nesting. */
export const ENVELOPE_BYTES_MAX = 64;
export const ENVELOPE_DEPTH = 1;
export const MESSAGES_PER_FRAME_MAX = 1_000;
export const LEASES_PER_RENEW_MAX = 1_000;
export const LIST_MAX = 1_000;
/** Of a whole frame. */
export const JSON_DEPTH_MAX = 64;
/** Of a state or of metadata: the frame's list, its message and a field's own record must fit around it. */
export const VALUE_DEPTH_MAX = 60;
/** A WebSocket close reason is at most 123 bytes (RFC 6455, section 5.5). */
export const CLOSE_REASON_BYTES_MAX = 123;

export const HELLO_WITHIN_MS = 5 * SECOND;
export const PING_MS_DEFAULT = 15 * SECOND;
export const PING_MS_MIN = 500;
/** Whoever waits is pinged this often within the smallest window that it waits for; both sides count on it. */
export const PINGS_PER_WINDOW = 6;
/** How long a session that holds nothing lives in silence, at least (R25). */
export const SESSION_SILENCE_MS_MIN = 30 * SECOND;
/** How long a claim lives while its session is silent, at least; its own TTL when that is longer. */
export const CLAIM_SILENCE_MS_MIN = 3 * SECOND;
export const KEEP_MS_DEFAULT = 2 * SECOND;
export const KEEP_MS_MAX = 60 * SECOND;
/** How long a page that is loaded again is waited for, at most; its TTL when that is shorter. */
export const RELOAD_KEEP_MS_MAX = 10 * SECOND;
/** R21: a request that nothing has shown to be read within this makes the client dial anew. */
export const ANSWER_WITHIN_MS = 1 * SECOND;
/** The coordinator pings a session whose requests wait, for the disk or behind views, at this pace, so that R21 holds. */
export const PING_PENDING_MS = 500;

/** The listening clock advances by at most this in one reading (R6). */
export const LISTENING_STEP_MS = 150;
/** A tick at most half a step apart, so that an idle loop keeps real time (R6). */
export const TICK_MS = 75;

export const CONNECT_TIMEOUT_MS_DEFAULT = 5 * SECOND;
export const CONNECT_TIMEOUT_MS_MIN = 100;
export const CONNECT_TIMEOUT_MS_MAX = 60 * SECOND;
export const BACKOFF_MS_MAX_DEFAULT = 8 * SECOND;
export const BACKOFF_MS_MAX_LEAST = 100;
export const BACKOFF_MS_MAX_MOST = 300 * SECOND;
/** A process should end soon after its last lease; a page keeps its connection for the next click. */
export const IDLE_MS_DEFAULT_PROCESS = 1 * SECOND;
export const IDLE_MS_DEFAULT_PAGE = 60 * SECOND;
export const IDLE_MS_MAX = DAY;
export const DRAIN_MS_DEFAULT = 5 * SECOND;
export const DRAIN_MS_MAX = DAY;
/** How long `close` waits for the answers to its releases: they are on their way in any case. */
export const CLOSE_ANSWER_MS = 500;
/** A connection counts as good only after it has lived this long since `welcome`. */
export const GOOD_CONNECTION_MS = 5 * SECOND;

/** A token's floor: unix seconds times this (S2). */
export const TOKENS_PER_SECOND = 2 ** 20;
/** A shown token may lift the mark by at most this many seconds beyond now (R17). */
export const TOKEN_AHEAD_S_MAX = 86_400;
/** Nothing but the next grant's +1 goes beyond this; more is the operator's decision (R17). */
export const TOKEN_LIFT_MAX = 2 ** 52;
