import { between, type ListeningMs, type WallMs } from '../../../shared/time.ts';

/**
 * R27: whether a client's monotonic clock runs at another rate than ours. S1 stands on rates that differ by less than
 * 0.1 %, so half of that is shown.
 *
 * A client's reading was taken somewhere between our sending of the ping and our reading of the pong. Two such samples
 * bound the rate from both sides, whatever the network does: only a rate that no delay explains is called off.
 */
export interface ClockSample {
  readonly clientMs: number;
  readonly sentAt: ListeningMs;
  readonly readAt: ListeningMs;
  readonly sentWall: WallMs;
  readonly readWall: WallMs;
}

export type RateFinding =
  /** Too short a time, or nothing beyond what delays explain. */
  | { readonly kind: 'nothing' }
  /** So far off that it is no rate: the host slept, or the process was moved. The samples start anew. */
  | { readonly kind: 'jumped' }
  /** In parts of our rate; 0.001 is 0.1 % too fast. */
  | { readonly kind: 'off'; readonly by: number };

const OVER_MS_MIN = 30_000;
const OFF_BY = 0.000_5;
const JUMP_BY = 0.05;

export function clockRate(first: ClockSample, last: ClockSample): RateFinding {
  const clientMs = last.clientMs - first.clientMs;
  const [leastMs, mostMs] = [between(first.readAt, last.sentAt), between(first.sentAt, last.readAt)];
  if (leastMs < OVER_MS_MIN) return { kind: 'nothing' };
  if (clientMs < leastMs * (1 - OFF_BY)) return finding(clientMs / leastMs - 1);
  // The listening clock loses what stalls take, so a fast client must be seen by the wall clock as well.
  const most = Math.max(mostMs, between(first.sentWall, last.readWall));
  return clientMs > most * (1 + OFF_BY) ? finding(clientMs / most - 1) : { kind: 'nothing' };
}

const finding = (by: number): RateFinding => (Math.abs(by) > JUMP_BY ? { kind: 'jumped' } : { kind: 'off', by });
