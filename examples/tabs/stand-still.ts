import { isLeaseError, type Election } from 'leasehold';
import type { Log } from './log.ts';

let isStill = false;
let wokeAtMs = 0;

/** Whether this click was made while nothing moved here: the browser hands it over when the page wakes. */
export const wasMadeMeanwhile = (click: Event): boolean => isStill || click.timeStamp < wokeAtMs;

/**
 * Keeps this page's one thread busy, as code does that computes for too long: no timer runs, no message is read, nothing
 * is drawn. What counts is what it finds when it goes on.
 */
export async function standStill(election: Election, ms: number, log: Log): Promise<void> {
  const { lease } = election;
  log(`standing still for ${ms / 1_000} s`);
  isStill = true;
  document.body.classList.add('still');
  await drawn();
  for (const untilMs = performance.now() + ms; performance.now() < untilMs;);
  wokeAtMs = performance.now();
  isStill = false;
  document.body.classList.remove('still');
  if (lease === null) {
    log(`stood still for ${ms / 1_000} s; whoever leads was not kept waiting`);
    return;
  }
  // No code of the library has run since. It works this out from the clocks, here and now.
  try {
    lease.assertHeld();
    log('woke up, and holds the lease still: it is safe to write');
  } catch (error) {
    const code = isLeaseError(error) ? error.code : String(error);
    log(`woke up, and assertHeld() threw ${code}: nothing is written`, 'bad');
  }
}

/** Resolves when what was changed is on the screen: behind the next frame. */
const drawn = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));
