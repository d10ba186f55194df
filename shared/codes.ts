import { CLOSE_CODES } from './close-codes.ts';

/**
 * The registry of codes: every refusal, loss and end that a person or a program can meet, once.
 * docs/CODES.md and `leasehold explain` are printed from it. Clients import its types only.
 */
interface CodeEntry {
  /** What happened, for a person. */
  readonly meaning: string;
  readonly fault: 'caller' | 'coordinator' | 'network' | 'operator' | 'nobody';
  /** What to do about it. */
  readonly cure: string;
  /** Whether the same request can succeed later; `retryAfterMs` in the message says when. */
  readonly retryable: boolean;
  readonly close: number | null;
  readonly http: number;
  /** Exit code of `leasehold run` and of the reading commands. */
  readonly exit: number;
}

const entry = (
  meaning: string,
  fault: CodeEntry['fault'],
  cure: string,
  retryable: boolean,
  http: number,
  exit: number,
): Omit<CodeEntry, 'close'> => ({ meaning, fault, cure, retryable, http, exit });

const ENTRIES = {
  // What was asked cannot be done as asked.
  'bad-request': entry(
    'A field is missing, of the wrong kind, or outside its range.',
    'caller',
    'Correct the field that `param` names; the message has the value given and the range allowed.',
    false,
    400,
    64,
  ),
  'unknown-type': entry(
    'The coordinator does not know this type of message.',
    'caller',
    'Use a coordinator at least as new as the client, or a message of docs/PROTOCOL.md.',
    false,
    400,
    64,
  ),
  'not-found': entry(
    'There is nothing at this address.',
    'caller',
    'Correct the path; `GET /` says what there is.',
    false,
    404,
    64,
  ),
  'not-text': entry(
    'A binary frame came; the protocol is JSON text.',
    'caller',
    'Send text frames.',
    false,
    400,
    64,
  ),
  'bad-utf8': entry(
    'A text frame was not valid UTF-8.',
    'caller',
    'Send well-formed UTF-8.',
    false,
    400,
    64,
  ),
  'frame-too-large': entry(
    'A frame is larger than the coordinator reads.',
    'caller',
    'Send fewer messages in one frame, or smaller ones.',
    false,
    413,
    64,
  ),
  'state-too-large': entry(
    'A state is larger than the limit. The lease itself is untouched.',
    'caller',
    'Keep a reference in the state and the data elsewhere.',
    false,
    413,
    64,
  ),
  'storage-full': entry(
    'The coordinator keeps as many states as it may.',
    'operator',
    'Raise `limits.states` or remove states no longer used.',
    true,
    507,
    69,
  ),
  'version-conflict': entry(
    'The state has another version than the write asked for.',
    'caller',
    'Read the state again and decide anew.',
    false,
    409,
    75,
  ),
  'bad-token': entry(
    'A fencing token was shown that lies further ahead than any coordinator can have granted.',
    'operator',
    'Look for a client with a wrong journal or a forged token.',
    false,
    400,
    64,
  ),
  'mode-conflict': entry(
    'The name is held in a mode, or with a limit, that excludes this claim.',
    'caller',
    'Use one mode and one limit for a name.',
    false,
    409,
    64,
  ),
  'already-held': entry(
    'This client holds the name already, and the claim asked to be refused then.',
    'caller',
    'Use the lease that is held.',
    false,
    409,
    75,
  ),
  'too-many-requests': entry(
    'The session has as many leases, claims and open requests as it may.',
    'caller',
    'Release or cancel some, or use another session.',
    true,
    429,
    75,
  ),
  'queue-full': entry(
    'The queue of this name is as long as it may be.',
    'nobody',
    'Try again later, or raise `limits.queue`.',
    true,
    429,
    75,
  ),
  'nobody-waiting': entry(
    'A hand-over found nobody in the queue; the lease is kept.',
    'nobody',
    'Release it, or keep it.',
    false,
    409,
    75,
  ),

  // Who asks, and from where.
  unauthorized: entry(
    'The credential is missing, wrong or over.',
    'caller',
    'Give a fresh credential.',
    false,
    401,
    77,
  ),
  forbidden: entry(
    "The session may not do this: the lease is another session's, or the credential does not allow it.",
    'caller',
    'Use the handle that was granted, or ask for the permission.',
    false,
    403,
    77,
  ),
  'origin-not-allowed': entry(
    'A page of an origin that is not listed tried to connect.',
    'operator',
    "Start the coordinator with `--origin URL` for that page's origin.",
    false,
    403,
    77,
  ),
  'host-not-allowed': entry(
    'The Host header names a host that this coordinator does not serve.',
    'operator',
    'Start the coordinator with `--allow-host NAME` for that name.',
    false,
    403,
    77,
  ),
  version: entry(
    'Client and coordinator have no protocol version in common.',
    'operator',
    'Upgrade the older of the two.',
    false,
    426,
    69,
  ),

  // The coordinator cannot now.
  unavailable: entry(
    'The coordinator cannot be reached, or cannot store anything now. The outcome of a write that was under way is unknown; repeating it under its request id is safe.',
    'coordinator',
    'Try again; held leases go on.',
    true,
    503,
    69,
  ),
  quiet: entry(
    'Nothing is granted until every window that an earlier coordinator may have granted is over.',
    'nobody',
    'Wait; the message says how long.',
    true,
    503,
    75,
  ),
  draining: entry(
    'The coordinator is about to stop; leases are kept for its next run.',
    'operator',
    'Connect again in a moment.',
    true,
    503,
    69,
  ),
  'rate-limited': entry(
    'More messages came for longer than the limit allows.',
    'caller',
    'Send less; the client library coalesces by itself.',
    true,
    429,
    75,
  ),
  'too-many': entry(
    'As many connections or sessions as the coordinator or one address, or channels as one socket, may have.',
    'operator',
    'Raise the limit, or close some.',
    true,
    503,
    69,
  ),
  'hello-timeout': entry(
    'No `hello` came in time.',
    'network',
    'Send `hello` as the first message.',
    true,
    408,
    69,
  ),
  'slow-consumer': entry(
    'The peer did not read what was sent to it.',
    'network',
    'Read faster, or watch less.',
    true,
    408,
    69,
  ),
  internal: entry(
    'A broken invariant in the coordinator: a defect.',
    'coordinator',
    "Report it with the coordinator's log.",
    true,
    500,
    70,
  ),

  // A claim ends without a grant.
  'wait-timeout': entry(
    'The name was not free within the time that the caller wanted to wait.',
    'nobody',
    'Wait longer, or do without.',
    true,
    409,
    75,
  ),
  cancelled: entry('The claim was withdrawn by its own client.', 'caller', 'Nothing.', false, 409, 75),
  gone: entry(
    'The claim was removed from the queue, since its session had not been heard from.',
    'network',
    'Claim again, at the tail; the client library does so by itself.',
    true,
    410,
    75,
  ),

  // A lease ends.
  'missed-ack': entry(
    'No renewal was acknowledged in time; the lease counts as lost.',
    'network',
    'Stop the work; acquire again.',
    true,
    410,
    76,
  ),
  expired: entry(
    'The window was over before a renewal came.',
    'network',
    'Stop the work; acquire again.',
    true,
    410,
    76,
  ),
  superseded: entry(
    'A newer token has been granted for this name.',
    'network',
    'Stop the work; acquire again.',
    true,
    410,
    76,
  ),
  revoked: entry('An operator took the lease away.', 'operator', 'Stop the work; ask the operator.', false, 410, 76),
  stolen: entry(
    'Another client with the permission to steal took the lease.',
    'caller',
    'Stop the work; acquire again.',
    true,
    410,
    76,
  ),
  ceiling: entry(
    'The longest total life of one grant (`maxLifetimeMs`) is over.',
    'caller',
    'Acquire again, or ask for a longer ceiling.',
    true,
    410,
    76,
  ),
  replaced: entry(
    'A newer connection, or another instance, of this session has taken its place.',
    'caller',
    'Use the newer one.',
    false,
    410,
    76,
  ),
  'session-ended': entry(
    'The session had not been heard from for longer than its life.',
    'network',
    'Connect again; a new session is made.',
    true,
    410,
    76,
  ),
  'journal-changed': entry(
    'The coordinator at this URL keeps another journal than before; leases of the earlier one count as lost.',
    'operator',
    'Make sure that the URL leads to one coordinator and its data.',
    true,
    410,
    76,
  ),
  released: entry('The lease was given back by its holder.', 'nobody', 'Nothing.', false, 410, 76),

  // Only said by the client library.
  closed: entry(
    'The client, or the page it lived in, was closed.',
    'caller',
    'Connect anew; the client of a page that was put away does so by itself when the page is shown.',
    false,
    499,
    76,
  ),
  'at-risk': entry(
    'A renewal is unanswered or the clocks disagree; start nothing new.',
    'network',
    'Wait for `recovered` or `lost`.',
    true,
    503,
    75,
  ),
  refused: entry(
    'The coordinator refuses this client for good; `cause` says why.',
    'caller',
    'Correct the cause and connect anew.',
    false,
    403,
    77,
  ),
} as const satisfies Record<string, Omit<CodeEntry, 'close'>>;

export type Code = keyof typeof ENTRIES;

const closeOf: Readonly<Record<string, number>> = CLOSE_CODES;
const entries = Object.entries(ENTRIES).map(([code, one]) => [code, { ...one, close: closeOf[code] ?? null }]);
export const CODES = Object.fromEntries(entries) as Readonly<Record<Code, CodeEntry>>; // One entry for each of ENTRIES.

/** Why a lease that was held is not held any more, on the client. */
export type LossCode =
  | 'missed-ack'
  | 'expired'
  | 'superseded'
  | 'revoked'
  | 'stolen'
  | 'ceiling'
  | 'unauthorized'
  | 'replaced'
  | 'journal-changed'
  | 'closed';

/** Codes after which a renewal is never tried again for that token. */
export const PERMANENT_RENEWAL_CODES = ['expired', 'superseded', 'revoked', 'stolen', 'ceiling', 'forbidden'] as const;
export type PermanentRenewalCode = (typeof PERMANENT_RENEWAL_CODES)[number];
