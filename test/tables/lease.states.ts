import type { TableCommand, TableEvent } from '../../server/core/table-types.ts';
import type { Code } from '../../shared/codes.ts';

/**
 * Every phase of a name with every command, once. A missing cell does not compile; lease.test.ts drives a table into
 * each phase, gives it the command, and holds what it says and where it ends against the cell. docs/LEASE-STATES.md is
 * printed from it.
 */
export type Phase = 'free' | 'pending' | 'held' | 'recovered' | 'ending' | 'closed' | 'delayed';

/** A command as `a` gives it, who holds or held the name with token T; other senders and ways have a row of their own. */
export type Happening =
  | TableCommand['kind']
  | 'acquire, one try'
  | 'acquire, stealing'
  | 'acquire, repeated by a'
  | 'renew, older token'
  | 'renew, by another'
  | 'release, by another'
  | 'hand-over'
  | 'set-state, by another'
  | 'end-ack, by another'
  | 'revoke, now'
  | 'time';

export interface Cell {
  /** `done`: it has an effect. `ignored`: it has none, and nobody is told. `refused`: it is answered by `code`. */
  readonly fate: 'done' | 'ignored' | 'refused';
  readonly code: Code | null;
  /** What the table says, but for `view-changed`. */
  readonly says: readonly TableEvent['kind'][];
  readonly next: Phase;
  readonly why: string;
}

type Says = Cell['says'];

const done = (next: Phase, says: Says, why: string): Cell => ({ fate: 'done', code: null, says, next, why });
const ignored = (next: Phase, why: string): Cell => ({ fate: 'ignored', code: null, says: [], next, why });
const refused = (next: Phase, code: Code, says: Says, why: string): Cell => ({
  fate: 'refused',
  code,
  says,
  next,
  why,
});

/** What concerns the table and not the name. */
const apart = (phase: Phase) =>
  ({
    'heard-from': ignored(phase, 'silence passes over claims; it ends no lease (S7)'),
    writable: done(phase, [], 'while it is false nothing new is granted or written; what is held goes on'),
    draining: done(phase, [], 'nothing new is granted; what is stored stays for the next run'),
    limits: done(phase, [], 'they bind grants and renewals, never what is stored (R4)'),
    'drop-idle-states': ignored(phase, 'the name has no state'),
  }) as const;

/** Where T is not held, nothing that needs it changes anything (S3). */
const withoutLease = (phase: Phase, older: 'expired' | 'superseded', why: string) =>
  ({
    renew: refused(phase, 'expired', ['renew-refused'], why),
    'renew, older token': refused(phase, older, ['renew-refused'], why),
    'renew, by another': refused(phase, 'expired', ['renew-refused'], why),
    release: refused(phase, 'expired', ['released'], why),
    'release, by another': refused(phase, 'expired', ['released'], why),
    'hand-over': refused(phase, 'expired', ['released'], why),
    'set-state': refused(phase, 'expired', ['refused'], why),
    'set-state, by another': refused(phase, 'expired', ['refused'], why),
    'end-ack': ignored(phase, 'nothing is being ended'),
    'end-ack, by another': ignored(phase, 'nothing is being ended'),
  }) as const;

/** Where a's claim is neither waiting nor granted. */
const withoutClaim = (phase: Phase) =>
  ({
    amend: refused(phase, 'bad-request', ['refused'], 'neither a claim nor a lease has this request'),
    cancel: ignored(phase, 'there is nothing to withdraw; said twice it is done once'),
    'claims-gone': ignored(phase, 'it has no claim'),
    quiet: done(phase, [], 'nothing is granted before it is over'),
    'lift-mark': done(phase, [], 'later tokens are above it (S2)'),
    appended: ignored(phase, 'nothing waits for it'),
    'append-failed': done(phase, [], 'nothing of it is undone; nothing is granted until something can be written'),
  }) as const;

const GRANTED = 'the name is open: granted, on its way to the journal';
const QUEUED = 'the name is not free: it waits its turn (S8)';
const ONE_TRY = 'the name is not free, and it does not wait';
const MEANWHILE = 'the slot is taken while the grant is on its way';
const FORBIDDEN = 'the lease is of another session (S3)';
const OLDER = 'a newer token has been granted for the name (S3)';
const UNTOLD = 'nobody was told of the grant, and nobody will be';
const NOT_TOLD_YET = 'nobody was told of this token yet';
const OPENS = 'acknowledged: who gives a lease back does not believe in it (R1, R13)';

export const LEASE_STATES: Record<Phase, Record<Happening, Cell>> = {
  free: {
    ...apart('free'),
    ...withoutLease('free', 'expired', 'nothing is held; of a name that was forgotten no later token is known'),
    ...withoutClaim('free'),
    acquire: done('pending', ['grant-decided'], GRANTED),
    'acquire, one try': done('pending', ['grant-decided'], GRANTED),
    'acquire, stealing': done('pending', ['grant-decided'], `${GRANTED}; there is nothing to steal`),
    'acquire, repeated by a': done('pending', ['grant-decided'], 'its grant has ended: it is a new claim (R7)'),
    revoke: ignored('free', 'nobody holds it'),
    'revoke, now': ignored('free', 'nobody holds it'),
    time: ignored('free', 'it has no deadline'),
  },
  pending: {
    ...apart('pending'),
    ...withoutLease('pending', 'expired', NOT_TOLD_YET),
    acquire: done('pending', ['queued'], MEANWHILE),
    'acquire, one try': refused('pending', 'wait-timeout', ['claim-ended'], ONE_TRY),
    'acquire, stealing': done(
      'pending',
      ['grant-undone', 'queued', 'grant-decided'],
      'taken before anybody was told; its claim stands where it stood',
    ),
    'acquire, repeated by a': ignored('pending', 'the answer comes when the grant is durable (S4)'),
    amend: done('pending', ['amended'], 'its turn has come already; its lease has that priority'),
    cancel: done('free', ['ended', 'claim-ended'], UNTOLD),
    'claims-gone': done('free', ['ended', 'claim-ended'], UNTOLD),
    revoke: done('free', ['ended', 'claim-ended'], UNTOLD),
    'revoke, now': done('free', ['ended', 'claim-ended'], UNTOLD),
    quiet: done(
      'free',
      ['grant-undone', 'queued'],
      'earlier holders may still believe: it waits until that is over (S5)',
    ),
    'lift-mark': done(
      'pending',
      ['grant-undone', 'queued', 'grant-decided'],
      'granted anew, with a token above the one shown (S2)',
    ),
    appended: done('held', ['granted'], 'durable: the window counts from here, and now it is told (R5)'),
    'append-failed': done('free', ['grant-undone', 'queued'], 'undone; its claim stands where it stood (R14)'),
    time: ignored('pending', 'it cannot expire before it is told (R5)'),
  },
  held: {
    ...apart('held'),
    acquire: done('held', ['queued'], QUEUED),
    'acquire, one try': refused('held', 'wait-timeout', ['claim-ended'], ONE_TRY),
    'acquire, stealing': done(
      'ending',
      ['ending', 'queued'],
      'it stands at the head, and waits for the holder to stop (R1)',
    ),
    'acquire, repeated by a': done('held', ['granted'], 'a renewal, counted from the repeat (R7)'),
    amend: done('held', ['amended'], 'its turn has come already; its lease has that priority'),
    cancel: done('free', ['ended'], 'a grant that crosses the word is given back'),
    renew: done('held', ['renewed'], 'the window counts from the reading; nothing is written (S5)'),
    'renew, older token': refused('held', 'superseded', ['renew-refused'], OLDER),
    'renew, by another': refused('held', 'forbidden', ['renew-refused'], FORBIDDEN),
    release: done('free', ['released', 'ended'], "ended by its holder's word (S7)"),
    'release, by another': refused('held', 'forbidden', ['released'], FORBIDDEN),
    'hand-over': refused('held', 'nobody-waiting', ['released'], 'nobody can follow: the lease is kept'),
    'set-state': done('held', [], 'decided; answered when it is durable (S4)'),
    'set-state, by another': refused('held', 'forbidden', ['refused'], FORBIDDEN),
    'end-ack': ignored('held', 'nothing is being ended'),
    'end-ack, by another': ignored('held', 'nothing is being ended'),
    revoke: done('ending', ['ending'], 'its holder is told, and the name stays closed (R1)'),
    'revoke, now': done('free', ['ended'], 'gives up S1 for this name, never S2 or S3 (R1)'),
    'claims-gone': ignored('held', 'leases stay until their deadlines (S7)'),
    quiet: done('held', [], 'what is held goes on'),
    'lift-mark': done('held', [], 'later tokens are above it (S2)'),
    appended: ignored('held', 'nothing of it was on its way'),
    'append-failed': done('held', [], 'what is held goes on'),
    time: done('free', ['ended'], 'ended by its deadline (S7)'),
  },
  recovered: {
    ...apart('recovered'),
    acquire: done('recovered', ['queued'], QUEUED),
    'acquire, one try': refused('recovered', 'wait-timeout', ['claim-ended'], ONE_TRY),
    'acquire, stealing': done(
      'ending',
      ['ending', 'queued'],
      'it stands at the head, and waits for the holder to stop (R1)',
    ),
    'acquire, repeated by a': done('held', ['granted'], 'heard from: silence that is stored is taken back first (R3)'),
    amend: done('recovered', ['amended'], 'its turn has come already; its lease has that priority'),
    cancel: done('free', ['ended'], 'a grant that crosses the word is given back'),
    renew: done('held', ['renewed'], 'heard from: silence that is stored is taken back first (R3)'),
    'renew, older token': refused('recovered', 'superseded', ['renew-refused'], OLDER),
    'renew, by another': refused('recovered', 'forbidden', ['renew-refused'], FORBIDDEN),
    release: done('free', ['released', 'ended'], "ended by its holder's word (S7)"),
    'release, by another': refused('recovered', 'forbidden', ['released'], FORBIDDEN),
    'hand-over': refused('recovered', 'nobody-waiting', ['released'], 'nobody can follow: the lease is kept'),
    'set-state': done('recovered', [], 'decided; it renews nothing'),
    'set-state, by another': refused('recovered', 'forbidden', ['refused'], FORBIDDEN),
    'end-ack': ignored('recovered', 'nothing is being ended'),
    'end-ack, by another': ignored('recovered', 'nothing is being ended'),
    revoke: done('ending', ['ending'], 'its holder is told, and the name stays closed (R1)'),
    'revoke, now': done('free', ['ended'], 'gives up S1 for this name, never S2 or S3 (R1)'),
    'claims-gone': ignored('recovered', 'leases stay until their deadlines (S7)'),
    quiet: done('recovered', [], 'what is held goes on'),
    'lift-mark': done('recovered', [], 'later tokens are above it (S2)'),
    appended: ignored('recovered', 'nothing of it was on its way'),
    'append-failed': done('recovered', [], 'what is held goes on'),
    time: done('free', ['ended'], 'its stored window, less the silence of earlier runs, is over (S5)'),
  },
  ending: {
    ...apart('ending'),
    acquire: done('ending', ['queued'], QUEUED),
    'acquire, one try': refused('ending', 'wait-timeout', ['claim-ended'], ONE_TRY),
    'acquire, stealing': done('ending', ['queued'], 'it stands at the head; the holder is being ended already'),
    'acquire, repeated by a': done('ending', ['ending'], 'it hears what it may have missed (R2)'),
    amend: done('ending', ['amended'], 'its turn has come already, and it is not asked to yield any more'),
    cancel: done('free', ['ended'], OPENS),
    renew: refused('ending', 'revoked', ['renew-refused'], 'renewals stop at once (R1)'),
    'renew, older token': refused('ending', 'superseded', ['renew-refused'], OLDER),
    'renew, by another': refused('ending', 'forbidden', ['renew-refused'], FORBIDDEN),
    release: refused('free', 'revoked', ['released', 'ended'], OPENS),
    'release, by another': refused('ending', 'forbidden', ['released'], FORBIDDEN),
    'hand-over': refused('free', 'revoked', ['released', 'ended'], OPENS),
    'set-state': refused('ending', 'revoked', ['refused'], 'the token is not current any more (S3)'),
    'set-state, by another': refused('ending', 'forbidden', ['refused'], FORBIDDEN),
    'end-ack': done('free', ['ended'], 'its holder has stopped: the name opens (R1)'),
    'end-ack, by another': ignored('ending', 'only its holder knows that it has stopped'),
    revoke: ignored('ending', 'it is being ended already'),
    'revoke, now': done('free', ['ended'], 'opened at once (R1)'),
    'claims-gone': ignored('ending', 'its holder may believe until the window is over'),
    quiet: done('ending', [], 'nothing is granted before it is over'),
    'lift-mark': done('ending', [], 'later tokens are above it (S2)'),
    appended: ignored('ending', 'nothing of it was on its way'),
    'append-failed': done('ending', [], 'its end goes with the next batch (R14)'),
    time: done('free', ['ended'], 'its last window is over: nobody believes any more (R1)'),
  },
  closed: {
    ...apart('closed'),
    ...withoutLease('closed', 'superseded', 'released, and kept closed for the minimum hold'),
    ...withoutClaim('closed'),
    acquire: done('closed', ['queued'], 'closed to everybody until the minimum hold is over'),
    'acquire, one try': refused('closed', 'wait-timeout', ['claim-ended'], ONE_TRY),
    'acquire, stealing': done('closed', ['queued'], 'a closure cannot be stolen'),
    'acquire, repeated by a': done('closed', ['queued'], 'a new claim, and closed to it too'),
    revoke: ignored('closed', 'nobody holds it'),
    'revoke, now': done('free', [], 'opened at once (R1)'),
    time: done('free', [], 'the minimum hold is over'),
  },
  delayed: {
    ...apart('delayed'),
    ...withoutLease('delayed', 'superseded', 'expired, and closed for the lock-delay'),
    ...withoutClaim('delayed'),
    acquire: done('delayed', ['queued'], 'closed to others until the lock-delay is over'),
    'acquire, one try': refused('delayed', 'wait-timeout', ['claim-ended'], ONE_TRY),
    'acquire, stealing': done('delayed', ['queued'], 'a closure cannot be stolen'),
    'acquire, repeated by a': done(
      'pending',
      ['grant-decided'],
      'open to the same session, when its turn has come (R19)',
    ),
    revoke: ignored('delayed', 'nobody holds it'),
    'revoke, now': done('free', [], 'opened at once (R1)'),
    time: done('free', [], 'the lock-delay is over'),
  },
};
