import { alarmsIn } from './alarms.ts';
import { familyOf } from './colours.ts';
import { extentIn, isIn, LARGE, type Row } from './layout.ts';
import { clock, element, exactly, rounded, text, title, widthOf } from './markup.ts';
import type { Bar, FaultBar, Picture } from './model.ts';
import { classOf, isDown, isStopped, MARGIN, PLOT_LEFT, PLOT_WIDTH } from './style.ts';

export type Colours = ReadonlyMap<string, string>;
export const NO_COLOUR = '#b8c0c8';

/** One row, from the ground up: lanes, the coordinator's absence, the grid, what was believed, what was broken. */
export function drawRow(picture: Picture, colours: Colours, row: Row): string {
  const isLarge = row.size === LARGE;
  const { faults } = picture;
  const inRow = { faults: faults.filter((fault) => isIn(fault, row.window)) };
  return [
    ...lanesOf(row),
    ...inRow.faults.filter(({ kind }) => isDown(kind) || isStopped(kind)).map((fault) => shadow(row, fault)),
    ...gridOf(row),
    ...(isLarge ? largeBars(picture, colours, row) : smallBars(picture, colours, row)),
    ...lossesIn(picture, row, isLarge),
    ...faultsIn(inRow.faults, colours, row, isLarge),
    ...alarmsIn(picture, row, isLarge),
  ].join('\n');
}

function lanesOf({ lanes, parts, size, window, x }: Row): readonly string[] {
  const width = x(window.toMs) - PLOT_LEFT;
  const label = (words: string, y: number, height: number, quiet: boolean): string =>
    text(words, {
      x: PLOT_LEFT - 10,
      y: y + height / 2 + 3.5,
      class: `right ${size === LARGE ? 'small' : 'tiny'}${quiet ? ' quiet' : ''}`,
    });
  return [
    ...[...lanes].flatMap(([name, y]) => [
      element('rect', { x: PLOT_LEFT, y, width, height: size.laneHeight, class: 'lane' }),
      label(shortened(name, size === LARGE ? 11 : 10), y, size.laneHeight, false),
    ]),
    ...[...parts].map(([part, y]) => label(part, y, size.faultHeight, true)),
  ];
}

const shortened = (name: string, size: number): string => {
  const fits = Math.floor((PLOT_LEFT - MARGIN - 10) / (size * 0.6));
  return name.length <= fits ? name : `${name.slice(0, fits - 1)}…`;
};

const shadow = (row: Row, fault: FaultBar): string =>
  element('rect', {
    ...extentIn(row, fault),
    y: row.lanesTop,
    height: row.lanesBottom - row.lanesTop,
    class: isDown(fault.kind) ? 'shadow' : 'shadow-stopped',
  });

function gridOf({ size, window, top, lanesTop, bottom, x }: Row): readonly string[] {
  const first = Math.ceil(window.fromMs / size.gridMs);
  const count = Math.floor(window.toMs / size.gridMs) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * size.gridMs).flatMap((ms) => [
    element('line', { x1: x(ms), x2: x(ms), y1: lanesTop - 4, y2: bottom, class: 'grid' }),
    text(clock(ms), {
      x: x(ms),
      y: top + 10,
      class: `tiny quiet ${x(ms) > PLOT_LEFT + PLOT_WIDTH - 12 ? 'right' : 'middle'}`,
    }),
  ]);
}

const colourOf = (colours: Colours, client: string): string => colours.get(familyOf(client)) ?? NO_COLOUR;

/** Each with its number where there is room, and all of it for a pointer that rests there. */
function largeBars({ bars }: Picture, colours: Colours, row: Row): readonly string[] {
  return bars.flatMap((bar) => {
    const y = row.lanes.get(bar.name);
    if (y === undefined || !isIn(bar, row.window)) return [];
    const { x, width } = extentIn(row, bar);
    const height = row.size.laneHeight;
    const words = [`${bar.client} ${bar.number}`, String(bar.number)].find((some) => widthOf(some, 10) + 6 <= width);
    return [
      element('g', {}, [
        title(barInWords(bar)),
        element('rect', {
          x,
          y,
          width: Math.max(0.8, width),
          height,
          rx: Math.min(2, width / 4),
          fill: colourOf(colours, bar.client),
        }),
        ...(words === undefined
          ? []
          : [text(words, { x: x + width / 2, y: y + height / 2 + 3.5, class: 'number middle' })]),
      ]),
    ];
  });
}

export const barInWords = ({ name, client, number, token, fromMs, toMs }: Bar): string =>
  `${name}: ${client} with ${number} (token ${token}), ${exactly(fromMs)} to ${exactly(toMs)}`;

/** One path a colour: an hour has ten thousands of them. */
function smallBars({ bars }: Picture, colours: Colours, row: Row): readonly string[] {
  const paths = new Map<string, string[]>();
  const last = new Map<string, number>();
  for (const bar of bars) {
    const y = row.lanes.get(bar.name);
    if (y === undefined || !isIn(bar, row.window)) continue;
    const { x, width } = extentIn(row, bar);
    // Where many begin within one unit, nobody sees more than one; two that are there at once are drawn all the same.
    const isSeen = width >= 1 || Math.floor(x) !== last.get(bar.name);
    last.set(bar.name, Math.floor(x));
    if (!isSeen) continue;
    const colour = colourOf(colours, bar.client);
    const path = paths.get(colour) ?? [];
    paths.set(colour, path);
    path.push(`M${rounded(x)} ${y + row.size.laneHeight / 2}h${Math.max(0.3, rounded(width))}`);
  }
  return [...paths].map(([colour, path]) =>
    element('path', { d: path.join(''), stroke: colour, 'stroke-width': row.size.laneHeight, fill: 'none' }),
  );
}

function lossesIn({ losses }: Picture, row: Row, isLarge: boolean): readonly string[] {
  const inRow = losses.flatMap((loss) => {
    const y = row.lanes.get(loss.name);
    const isHere = loss.atMs >= row.window.fromMs && loss.atMs < row.window.toMs;
    return y !== undefined && isHere ? [{ ...loss, x: rounded(row.x(loss.atMs)), y }] : [];
  });
  if (!isLarge) {
    const path = inRow.map(({ x, y }) => `M${x} ${y - 1}v${row.size.laneHeight + 2}`);
    return path.length === 0 ? [] : [element('path', { d: path.join(''), class: 'loss' })];
  }
  return inRow.map(({ x, y, name, client, code, atMs, toldMs }) =>
    element('g', {}, [
      title(`${name}: ${client} believes no more at ${exactly(atMs)}; it is lost, ${code}, at ${exactly(toldMs)}`),
      element('path', { d: `M${x} ${y - 1}v${row.size.laneHeight + 2}`, class: 'loss' }),
      element('path', { d: `M${x - 4} ${y - 4}h8l-4 6z`, class: 'loss-head' }),
    ]),
  );
}

function faultsIn(faults: readonly FaultBar[], colours: Colours, row: Row, isLarge: boolean): readonly string[] {
  return faults.map((fault) => {
    const y = (row.parts.get(fault.part) ?? 0) + fault.line * (row.size.faultHeight + row.size.faultGap);
    const { x, width } = extentIn(row, fault);
    const colour = fault.part === 'clients' ? colours.get(familyOf(fault.victim)) : undefined;
    const style = colour === undefined ? {} : { style: `fill:${colour};fill-opacity:0.55` };
    const box = { x, y, width: Math.max(1.2, width), height: row.size.faultHeight };
    return element('g', {}, [
      title(`${fault.kind} ${fault.victim}, ${exactly(fault.fromMs)} to ${exactly(fault.toMs)}`),
      element('rect', { ...box, class: classOf(fault.kind), ...style }),
      ...(isLarge ? labelOf(faults, fault, row, { x, y, width }) : []),
    ]);
  });
}

/** In the bar where it fits, else behind it as far as the next one; else whoever rests a pointer there is told. */
function labelOf(
  faults: readonly FaultBar[],
  fault: FaultBar,
  row: Row,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
): readonly string[] {
  const words = fault.part === 'clients' ? `${fault.kind} ${fault.victim}` : fault.kind;
  const needs = widthOf(words, 10) + 6;
  const baseline = y + row.size.faultHeight / 2 + 3.5;
  // On the hatching nothing can be read.
  if (needs <= width && !isStopped(fault.kind))
    return [text(words, { x: x + 4, y: baseline, class: `tiny ${isDown(fault.kind) ? 'on-down' : ''}`.trim() })];
  const next = faults
    .filter(({ part, line, fromMs }) => part === fault.part && line === fault.line && fromMs > fault.fromMs)
    .reduce((nearest, { fromMs }) => Math.min(nearest, row.x(fromMs)), PLOT_LEFT + PLOT_WIDTH);
  return x + width + needs <= next ? [text(words, { x: x + width + 4, y: baseline, class: 'tiny quiet' })] : [];
}
