import type { FaultBar, Part, Picture, Stretch } from './model.ts';
import { PLOT_LEFT, PLOT_WIDTH } from './style.ts';

/** How a row of the picture is measured. */
export interface Size {
  readonly spanMs: number;
  readonly gridMs: number;
  readonly laneHeight: number;
  readonly laneGap: number;
  readonly faultHeight: number;
  readonly faultGap: number;
}

export const LARGE: Size = {
  spanMs: 60_000,
  gridMs: 5_000,
  laneHeight: 20,
  laneGap: 4,
  faultHeight: 15,
  faultGap: 3,
};
const SMALL: Size = {
  spanMs: 300_000,
  gridMs: 60_000,
  laneHeight: 9,
  laneGap: 2,
  faultHeight: 7,
  faultGap: 4,
};

/** So many lines at most, of five minutes or of a multiple of it. */
const LINES_MAX = 12;

/** For a run as a whole: bounded in its height, and so in its bytes, however long the run was. */
export function smallFor(lastMs: number): Size {
  const times = Math.max(1, Math.ceil(lastMs / SMALL.spanMs / LINES_MAX));
  return { ...SMALL, spanMs: times * SMALL.spanMs, gridMs: times * SMALL.gridMs };
}

/** Above the lanes: the time. */
const AXIS_HEIGHT = 18;
/** Between the lanes of names and those of faults. */
const PARTING = 6;
const PARTS: readonly Part[] = ['coordinator', 'disk', 'clients'];

/** Where everything of one row lies. */
export interface Row {
  readonly size: Size;
  readonly window: Stretch;
  /** Of the time axis. */
  readonly top: number;
  readonly lanes: ReadonlyMap<string, number>;
  readonly lanesTop: number;
  readonly lanesBottom: number;
  /** Of the parts that are broken at some time in the run. */
  readonly parts: ReadonlyMap<Part, number>;
  readonly bottom: number;
  readonly x: (ms: number) => number;
}

export function rowAt({ names, faults, lastMs }: Picture, size: Size, fromMs: number, top: number): Row {
  const window = { fromMs, toMs: Math.min(fromMs + size.spanMs, Math.max(lastMs, fromMs)) };
  const lanesTop = top + AXIS_HEIGHT;
  const step = size.laneHeight + size.laneGap;
  const lanes = new Map(names.map((name, index) => [name, lanesTop + index * step]));
  const lanesBottom = lanesTop + names.length * step - size.laneGap;
  const parts = new Map<Part, number>();
  let bottom = lanesBottom + PARTING;
  for (const part of PARTS) {
    const lines = linesOf(faults, part, window);
    if (lines === 0) continue;
    parts.set(part, bottom);
    bottom += lines * (size.faultHeight + size.faultGap);
  }
  const x = (ms: number): number => PLOT_LEFT + ((ms - fromMs) / size.spanMs) * PLOT_WIDTH;
  return { size, window, top, lanes, lanesTop, lanesBottom, parts, bottom, x };
}

/** Lines that `part` needs in `window`; one where it is broken elsewhere, so that the rows are alike. */
function linesOf(faults: readonly FaultBar[], part: Part, window: Stretch): number {
  const ofPart = faults.filter((fault) => fault.part === part);
  return ofPart
    .filter((fault) => isIn(fault, window))
    .reduce((lines, { line }) => Math.max(lines, line + 1), Math.min(1, ofPart.length));
}

export const isIn = (stretch: Stretch, { fromMs, toMs }: Stretch): boolean =>
  stretch.toMs >= fromMs && stretch.fromMs < toMs;

/** What of a stretch lies in the row: its left edge and its width, which may be 0. */
export function extentIn(
  { window, x }: Row,
  { fromMs, toMs }: Stretch,
): { readonly x: number; readonly width: number } {
  const left = x(Math.max(fromMs, window.fromMs));
  return { x: left, width: Math.max(0, x(Math.min(toMs, window.toMs)) - left) };
}
