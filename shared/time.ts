/**
 * Instants and durations, branded so that they do not mix. All are milliseconds.
 *
 * - `MonoMs`: a reading of a process's own monotonic clock; compares only with readings of that clock.
 * - `ListeningMs`: a reading of the coordinator's listening clock (docs/PROMISES.md, S9); never ahead of real time.
 * - `WallMs`: unix time, for people and for the floor of the fencing tokens; never for a deadline.
 * - `DurationMs`: a length of time.
 */
export type MonoMs = number & { readonly __brand: 'MonoMs' };
export type ListeningMs = number & { readonly __brand: 'ListeningMs' };
export type WallMs = number & { readonly __brand: 'WallMs' };
export type DurationMs = number & { readonly __brand: 'DurationMs' };

type Instant = MonoMs | ListeningMs | WallMs;

export function monoMs(value: number): MonoMs {
  return value as MonoMs;
}
export function listeningMs(value: number): ListeningMs {
  return value as ListeningMs;
}
export function wallMs(value: number): WallMs {
  return value as WallMs;
}
export function durationMs(value: number): DurationMs {
  return value as DurationMs;
}

/** The instant `by` after `at`. */
export const later = <T extends Instant>(at: T, by: number): T => (at + by) as T;
/** How long after `from` the instant `to` is; negative when it is earlier. */
export const between = <T extends Instant>(from: T, to: T): DurationMs => (to - from) as DurationMs;
export const latest = <T extends Instant>(a: T, b: T): T => (a > b ? a : b);
export const earliest = <T extends Instant>(a: T, b: T): T => (a < b ? a : b);

/** One reading of a client's two clocks, taken together (docs/PROMISES.md, "Client clock"). */
export interface Stamp {
  readonly mono: MonoMs;
  readonly wall: WallMs;
}
