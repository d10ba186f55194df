export const MINUTE_MS = 60_000;

/** Where a minute may begin. */
const STEP_MS = 10_000;
/** What makes a minute worth looking at. Two that believe at once are above all. */
const WEIGHT = { overlap: 1_000, loss: 3, restart: 2, fault: 1 };

interface Eventful {
  readonly lastMs: number;
  readonly losses: readonly { readonly atMs: number }[];
  readonly faults: readonly { readonly fromMs: number; readonly kind: string }[];
  readonly overlaps: readonly { readonly fromMs: number }[];
}

/** The `count` minutes in which most happened, none of them in two, in the order of time. */
export function eventfulMinutes({ lastMs, losses, faults, overlaps }: Eventful, count: number): readonly number[] {
  const happened = [
    ...losses.map(({ atMs }) => ({ atMs, weight: WEIGHT.loss })),
    ...overlaps.map(({ fromMs }) => ({ atMs: fromMs, weight: WEIGHT.overlap })),
    ...faults.map(({ fromMs, kind }) => ({
      atMs: fromMs,
      weight: kind === 'kill-coordinator' ? WEIGHT.restart : WEIGHT.fault,
    })),
  ];
  const steps = Array.from({ length: Math.floor(lastMs / STEP_MS) + 1 }, () => 0);
  for (const { atMs, weight } of happened) {
    const step = Math.max(0, Math.floor(atMs / STEP_MS));
    steps[step] = (steps[step] ?? 0) + weight;
  }
  const inMinute = MINUTE_MS / STEP_MS;
  const worths = steps
    .map((_, step) => ({
      fromMs: step * STEP_MS,
      worth: steps.slice(step, step + inMinute).reduce((sum, weight) => sum + weight, 0),
    }))
    .filter(({ fromMs }) => fromMs + MINUTE_MS <= lastMs)
    .toSorted((a, b) => b.worth - a.worth || a.fromMs - b.fromMs);
  const chosen: number[] = [];
  for (const { fromMs, worth } of worths) {
    if (chosen.length === count || worth === 0) break;
    if (chosen.every((other) => Math.abs(other - fromMs) >= MINUTE_MS)) chosen.push(fromMs);
  }
  return chosen.toSorted((a, b) => a - b);
}
