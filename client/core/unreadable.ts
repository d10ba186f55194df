import type { Code } from '../../shared/codes.ts';
import { later } from '../../shared/time.ts';
import { fail, statusOf, type Book } from './book.ts';
import { stepClaim } from './steps.ts';
import type { Failure } from './types.ts';

/** Closes which say that a frame could not be read: said again as it was, it would only be closed again. */
const UNREADABLE_CODES: readonly Code[] = ['bad-request', 'frame-too-large', 'not-text', 'bad-utf8'];
const ALONE_MS = 60_000;

/**
 * Whatever carries callers' values, went out on this socket and was not shown to be read may have been what could not be
 * read. It fails and is not repeated, or it would take every lease down with it; renewals, releases and cancels go on.
 */
export function failUnreadable(book: Book, why: Failure): void {
  if (statusOf(book) !== 'open' || !UNREADABLE_CODES.includes(why.code)) return;
  const { asks, anchors } = book;
  book.aloneUntil = later(book.now.mono, ALONE_MS);
  const told = { ...why, message: `connection closed: ${why.message}`, retryable: false };
  for (const [id, asked] of asks) {
    // What waits for the end of the tick has a number, but was not sent.
    if (asked.frame <= anchors.named || asked.frame >= anchors.next || asked.read) continue;
    if (asked.claim) stepClaim(book, asked, { kind: 'end', failure: told });
    if (asked.kind !== 'write' && asked.kind !== 'list' && asked.kind !== 'watch') continue;
    asks.delete(id);
    fail(book, asked, told);
  }
}
