import type { CoordinatorMessageOf } from '../../shared/frames.ts';
import type { JournalId } from '../../shared/ids.ts';
import { durationMs } from '../../shared/time.ts';
import { living, settle, type Book } from './book.ts';
import { failure } from './failures.ts';
import { meetRestored, restoredOf } from './reload.ts';
import { giveBack, holderOf, stepConnection, stepLease, tell, unsend } from './steps.ts';

/** Journals kept in mind, to notice ids that alternate. */
const JOURNALS_MAX = 8;

/** Compares, at its last part, what the coordinator holds for this session with what this client believes (R8). */
export function welcome(book: Book, message: CoordinatorMessageOf<'welcome'>): void {
  const { standing, anchors } = book;
  anchors.name(message.frame);
  standing.session = message.session;
  standing.secret = message.secret ?? standing.secret;
  standing.stateBytesMax = message.stateBytesMax;
  standing.frameBytesMax = message.frameBytesMax;
  standing.held.push(...message.held);
  if (message.more || !meetJournal(book, message.journal)) return;
  stepConnection(book, { kind: 'welcomed' });
  meetRestored(book, message.resumed, message.quietMs !== undefined);
  const held = new Map(standing.held.map((one) => [one.fencingToken, one]));
  for (const mine of living(book)) {
    const told = held.get(mine.lease.token);
    const { kind } = mine.lease.phase;
    // Over by its own clocks, or offered to another: what this journal has forgotten may have made it theirs (R16).
    if (told && message.quietMs && (kind === 'doubt' || kind === 'handing'))
      stepLease(book, mine, { kind: 'end', code: 'expired', reply: 'give-back' });
    else if (told) tell(book, mine, message.frame, told, false);
    else if (kind === 'handing') stepLease(book, mine, { kind: 'handed', code: null });
    else stepLease(book, mine, { kind: 'end', code: 'expired', reply: message.resumed ? 'give-back' : 'nothing' });
    stepLease(book, mine, { kind: 'reconnected' });
  }
  const claims = [...book.asks.values()].filter(({ claim }) => claim);
  for (const { name, fencingToken, ttlMs } of held.values()) {
    const ofName = claims.filter(({ claim }) => claim?.terms.name === name);
    // So may a grant that was never heard of: it is none any more.
    if (message.quietMs) for (const asked of ofName) asked.above = Math.max(asked.above ?? 0, fencingToken);
    // A lease that was lost is no grant of a claim that was made later, which would stand behind it.
    const awaited = ofName.some(({ above = 0 }) => fencingToken > above);
    if (!holderOf(book, fencingToken) && !awaited && !restoredOf(book, name)) giveBack(book, name, fencingToken, ttlMs);
  }
  // All that is not answered is said again, under the same ids.
  for (const [id, asked] of book.asks) {
    unsend(asked);
    if (asked.kind !== 'ready') continue;
    book.asks.delete(id);
    settle(book, asked, { kind: 'done' });
  }
}

/** False where the client is refused: journals that alternate are two coordinators behind one address (R16). */
function meetJournal(book: Book, journal: JournalId): boolean {
  const {
    standing: { journals },
    standing,
  } = book;
  const before = journals.at(-1);
  if (before === journal) return true;
  const text = `journal ${journal}, where ${before} was before`;
  if (journals.includes(journal)) {
    stepConnection(book, { kind: 'failed', failure: failure('journal-changed', `${text}: they alternate`) });
    return false;
  }
  standing.journals = [...journals, journal].slice(-JOURNALS_MAX);
  if (before === undefined) return true;
  standing.windowMs = durationMs(0);
  for (const held of living(book)) stepLease(book, held, { kind: 'end', code: 'journal-changed', reply: 'nothing' });
  book.effects.push({ kind: 'warning', code: 'journal-changed', text: `${text}: its leases count as lost` });
  return true;
}
