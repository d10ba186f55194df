/** From times to places on the paper. Pure. */

export interface Axis {
  readonly fromMs: number;
  readonly toMs: number;
  readonly width: number;
}

const SPAN_MIN_MS = 30_000;
const SPAN_MAX_MS = 120_000;

/** It grows with what there is to show; from two minutes on it slides. */
export function axisOf(firstMs: number, nowMs: number, width: number): Axis {
  const fromMs = Math.max(firstMs, nowMs - SPAN_MAX_MS);
  return { fromMs, toMs: Math.max(nowMs, fromMs + SPAN_MIN_MS), width };
}

/** In pixels from the left; what lies outside is at the edge. */
export function placeOn({ fromMs, toMs, width }: Axis, atMs: number): number {
  const place = ((atMs - fromMs) / (toMs - fromMs)) * width;
  return Math.round(Math.min(width, Math.max(0, place)) * 10) / 10;
}

const STEPS_S = [5, 10, 15, 30, 60, 120];

/** Round moments of the clock, as close as their labels allow. */
export function ticksOf({ fromMs, toMs, width }: Axis, labelWidth: number): readonly number[] {
  const most = Math.max(1, width / labelWidth);
  const fits = STEPS_S.find((seconds) => (toMs - fromMs) / (seconds * 1_000) <= most);
  const stepMs = (fits ?? 120) * 1_000;
  const firstMs = Math.ceil(fromMs / stepMs) * stepMs;
  return Array.from({ length: Math.floor((toMs - firstMs) / stepMs) + 1 }, (_, index) => firstMs + index * stepMs);
}
