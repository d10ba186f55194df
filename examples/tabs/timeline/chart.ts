import { hueOf } from '../labels.ts';
import { secondsOf, shortToken } from '../words.ts';
import { axisOf, placeOn, ticksOf, type Axis } from './axis.ts';
import { markOf } from './marks.ts';
import type { Gap, Lane, Pause, Reign, Timeline } from './model.ts';
import { inHue, part } from './paper.ts';

/** The height of a lane and of the axis, in pixels: the heads beside the chart have the same. */
export const LANE = 44;
const AXIS = 28;
const BAR = 22;
/** A token is written into its bar from this width on; and how long a gap is, above one of that width. */
const TOKEN_WIDTH = 42;
const GAP_WIDTH = 4;
/** Above the lanes, for how long the gaps are. */
export const TOP = 18;
const GAP_WORDS_WIDTH = 38;
const TICK_WIDTH = 76;

/** Draws the lanes, in their order, from top to bottom. */
export function drawChart(
  svg: SVGElement,
  { reigns, pauses, gaps }: Timeline,
  lanes: readonly Lane[],
  nowMs: number,
  width: number,
): void {
  const height = TOP + lanes.length * LANE;
  const first = Math.min(nowMs, ...lanes.map(({ fromMs }) => fromMs));
  const axis = axisOf(first, nowMs, width);
  const rowOf = new Map(lanes.map(({ id }, row) => [id, row] as const));
  const shown = <T extends { readonly lane: string; readonly toMs: number | null }>(all: readonly T[]): readonly T[] =>
    all.filter(({ lane, toMs }) => rowOf.has(lane) && (toMs ?? nowMs) >= axis.fromMs);
  const middleOf = (lane: string): number => TOP + ((rowOf.get(lane) ?? 0) + 0.5) * LANE;
  svg.setAttribute('viewBox', `0 0 ${width} ${height + AXIS}`);
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height + AXIS));
  svg.replaceChildren(
    ...gridOf(axis, height),
    ...gapsOf(
      axis,
      gaps.filter(({ toMs }) => (toMs ?? nowMs) >= axis.fromMs),
      nowMs,
      height,
    ),
    ...lanes.map((lane) => lineOf(axis, lane, nowMs, middleOf(lane.id))),
    ...shown(pauses).map((pause) => pauseOf(axis, pause, nowMs, middleOf(pause.lane))),
    ...successionsOf(axis, shown(reigns), middleOf),
    ...shown(reigns).map((reign) => barOf(axis, reign, nowMs, middleOf(reign.lane))),
    ...shown(pauses).flatMap((pause) => startOf(axis, pause, middleOf(pause.lane))),
    ...shown(reigns).flatMap((reign) => endOf(axis, reign, middleOf(reign.lane))),
    ...nowOf(axis, nowMs, height),
  );
}

/** `14:03:20`. */
const tickText = (atMs: number): string => new Date(atMs).toTimeString().slice(0, 8);

function gridOf(axis: Axis, height: number): readonly SVGElement[] {
  return ticksOf(axis, TICK_WIDTH).flatMap((atMs) => {
    const x = placeOn(axis, atMs);
    const line = part('line', { class: 'grid', x1: x, x2: x, y1: TOP, y2: height + 5 });
    // A label that would be cut at the edge is left out; its line is there.
    if (x < 26 || x > axis.width - 26) return [line];
    return [line, part('text', { class: 'tick', x, y: height + 21 }, tickText(atMs))];
  });
}

/** How long a tab was open, as a thin line. */
function lineOf(axis: Axis, { fromMs, toMs }: Lane, nowMs: number, y: number): SVGElement {
  return part('line', { class: 'open', x1: placeOn(axis, fromMs), x2: placeOn(axis, toMs ?? nowMs), y1: y, y2: y });
}

function gapsOf(axis: Axis, gaps: readonly Gap[], nowMs: number, height: number): readonly SVGElement[] {
  let writtenTo = -Infinity;
  return gaps.flatMap(({ fromMs, toMs }) => {
    const x = placeOn(axis, fromMs);
    const width = placeOn(axis, toMs ?? nowMs) - x;
    // Of less nobody sees more than the change of hands, which is drawn anyhow.
    if (width < 1) return [];
    const band = part('rect', { class: 'gap', x, y: TOP, width, height: height - TOP });
    const middle = Math.min(axis.width - GAP_WORDS_WIDTH / 2, Math.max(GAP_WORDS_WIDTH / 2, x + width / 2));
    if (width < GAP_WIDTH || middle - GAP_WORDS_WIDTH / 2 < writtenTo) return [band];
    writtenTo = middle + GAP_WORDS_WIDTH / 2;
    return [band, part('text', { class: 'gap-words', x: middle, y: TOP - 6 }, secondsOf((toMs ?? nowMs) - fromMs))];
  });
}

/** From each reign to the next: where the lead went. */
function successionsOf(
  axis: Axis,
  reigns: readonly Reign[],
  middleOf: (lane: string) => number,
): readonly SVGElement[] {
  return reigns.slice(1).flatMap((reign, index) => {
    const before = reigns[index];
    if (before === undefined || before.toMs === null || before.lane === reign.lane) return [];
    const [fromX, toX] = [placeOn(axis, before.toMs), placeOn(axis, reign.fromMs)];
    const [fromY, toY] = [middleOf(before.lane), middleOf(reign.lane)];
    return [part('path', { class: 'succession', d: `M${fromX} ${fromY}H${toX}V${toY}` })];
  });
}

function barOf(axis: Axis, { label, token, fromMs, toMs }: Reign, nowMs: number, y: number): SVGElement {
  const x = placeOn(axis, fromMs);
  const width = Math.max(2, placeOn(axis, toMs ?? nowMs) - x);
  const rect = { x, y: y - BAR / 2, width, height: BAR, rx: Math.min(4, width / 2) };
  const bar = part('g', { class: 'reign', 'data-token': token }, part('rect', rect));
  // Left of the mark at its end.
  if (width > TOKEN_WIDTH + 10) bar.append(part('text', { x: x + 8, y: y + 4 }, shortToken(token)));
  return inHue(bar, hueOf(label));
}

function pauseOf(axis: Axis, { how, fromMs, toMs }: Pause, nowMs: number, y: number): SVGElement {
  const x = placeOn(axis, fromMs);
  const width = Math.max(3, placeOn(axis, toMs ?? nowMs) - x);
  const rect = { x, y: y - BAR / 2 - 5, width, height: BAR + 10, rx: 5 };
  return part('rect', { class: 'pause', 'data-how': how, ...rect });
}

function startOf(axis: Axis, { how, fromMs }: Pause, y: number): readonly SVGElement[] {
  if (fromMs < axis.fromMs) return [];
  return [markOf(how === 'cut' ? 'cut' : 'frozen', placeOn(axis, fromMs), y)];
}

function endOf(axis: Axis, { token, toMs, end }: Reign, y: number): readonly SVGElement[] {
  if (toMs === null || end === null || toMs < axis.fromMs) return [];
  return [part('g', { class: 'end', 'data-token': token }, markOf(end.kind, placeOn(axis, toMs), y))];
}

function nowOf(axis: Axis, nowMs: number, height: number): readonly SVGElement[] {
  const x = placeOn(axis, nowMs);
  return [part('line', { class: 'now', x1: x, x2: x, y1: TOP, y2: height })];
}
