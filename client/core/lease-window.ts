import { canLengthen, renewAfterMs, stopMarginMs } from '../../shared/renewal.ts';
import { later, type MonoMs } from '../../shared/time.ts';
import type { Reading } from './elapsed.ts';
import type { AcquireTerms } from './types.ts';

/** What a message tells of a held lease: all of it counts from the sending of the frame that it names. */
export interface Told {
  readonly leftMs: number;
  readonly ttlMs: number;
  readonly ceilingLeftMs: number;
}

/** A window as this client counts it, from its anchor to the stop margin before its deadline (S6). */
export interface Window extends Told {
  readonly anchor: Reading;
  /** How long after the anchor the client stops believing. */
  readonly stopMs: number;
}

export const windowOf = (told: Told, anchor: Reading, terms: AcquireTerms, resolutionMs: number): Window => ({
  anchor,
  leftMs: told.leftMs,
  ttlMs: told.ttlMs,
  ceilingLeftMs: told.ceilingLeftMs,
  stopMs: told.leftMs - stopMarginMs(told.ttlMs, told.leftMs, terms.stopMarginMs, resolutionMs),
});

/** Until the client stops believing, by the monotonic clock alone: nothing goes beyond this. */
export const leftByMono = (window: Window, now: Reading): number => window.stopMs - (now.mono - window.anchor.mono);

/** The same by the clock that counts sleep: beyond this there is doubt. */
export const leftByReal = (window: Window, now: Reading): number => window.stopMs - (now.real - window.anchor.real);

export const boundByCeiling = (window: Window): boolean => !canLengthen(window.leftMs, window.ceilingLeftMs);

/** When to renew, on the `real` clock. */
export const renewAt = (window: Window, ratio: number, spread: number): MonoMs =>
  later(window.anchor.real, renewAfterMs(window.ttlMs, window.leftMs, ratio, spread));
