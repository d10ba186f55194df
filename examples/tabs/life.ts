import { isLeaseError, type Lease } from 'leasehold';
import type { Log } from './log.ts';
import type { Pulse } from './pulse.ts';
import type { Diary } from './together/diary.ts';
import { secondsOf } from './words.ts';

/**
 * Tells of the times in which this page does not run. The browser says `freeze` and `pagehide` first, and then the library
 * gives the lease back before the page stops. Often nobody says anything: a lid is closed, a debugger stops, code computes
 * for too long. Then it is the first line behind it that counts. `last` is the last lease of this tab.
 */
export function followLife(pulse: Pulse, diary: Diary, log: Log, last: () => Lease | null): void {
  let frozenAtMs: number | null = null;
  document.addEventListener('freeze', () => {
    frozenAtMs = Date.now();
    diary.stops('frozen');
    log('the browser freezes this tab, and says so first');
  });
  document.addEventListener('resume', () => {
    // Before the beat that finds the time missing, which is accounted for here.
    const sinceMs = frozenAtMs ?? Date.now();
    diary.goesOn('frozen');
    log(`thawed after ${secondsOf(Date.now() - sinceMs)}; ${readingOf(last())}`);
    pulse.beat();
    frozenAtMs = null;
  });
  addEventListener('pagehide', ({ persisted }) => {
    if (persisted) diary.stops('put-away');
    else diary.write({ kind: 'closed' });
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    diary.goesOn('put-away');
    log(`shown again; ${readingOf(last())}`);
  });
  pulse.onStill = (sinceMs) => {
    if (frozenAtMs !== null) return;
    diary.stood(sinceMs);
    const reading = readingOf(last());
    log(
      `no line ran here for ${secondsOf(Date.now() - sinceMs)}; ${reading}`,
      reading.includes('threw') ? 'bad' : 'plain',
    );
  };
}

/** What the first line reads that runs afterwards. No code of the library has run since: it works it out from the clocks. */
function readingOf(lease: Lease | null): string {
  if (lease === null) return 'this tab held no lease';
  if (lease.status === 'released') return 'it had stepped down before';
  try {
    lease.assertHeld();
    return 'the lease is held still: it is safe to write';
  } catch (error) {
    const code = isLeaseError(error) ? error.code : String(error);
    return `assertHeld() threw ${code}: nothing is written`;
  }
}
