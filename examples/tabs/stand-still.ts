import type { Log } from './log.ts';
import type { Pulse } from './pulse.ts';

let isStill = false;
let wokeAtMs = 0;

/** Whether this click was made while nothing moved here: the browser hands it over when the page wakes. */
export const wasMadeMeanwhile = (click: Event): boolean => isStill || click.timeStamp < wokeAtMs;

/**
 * Keeps this page's one thread busy, as code does that computes for too long: no timer runs, no message is read, nothing
 * is drawn. What counts is what it finds when it goes on.
 */
export async function standStill(pulse: Pulse, ms: number, log: Log): Promise<void> {
  log(`standing still for ${ms / 1_000} s`);
  isStill = true;
  document.body.classList.add('still');
  await drawn();
  for (const untilMs = performance.now() + ms; performance.now() < untilMs;);
  // The first line behind it.
  pulse.beat();
  wokeAtMs = performance.now();
  isStill = false;
  document.body.classList.remove('still');
}

/** Resolves when what was changed is on the screen: behind the next frame. */
const drawn = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))));
