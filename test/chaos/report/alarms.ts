import { extentIn, isIn, type Row } from './layout.ts';
import { element, exactly, text, title, widthOf } from './markup.ts';
import type { Overlap, Picture } from './model.ts';
import { PLOT_LEFT, PLOT_WIDTH } from './style.ts';

/** As glaring as it has to be, however short it was. */
const FRAME_WIDTH_MIN = 8;
const OVER = 4;
const LABEL_HEIGHT = 16;

/** Two that believed at once. The first of a row is named on the spot, the others for a pointer. */
export function alarmsIn({ overlaps }: Picture, row: Row, isLarge: boolean): readonly string[] {
  const inRow = overlaps
    .filter((overlap) => isIn(overlap, row.window) && row.lanes.has(overlap.name))
    .toSorted((a, b) => a.fromMs - b.fromMs);
  const frames = inRow.map((overlap) => {
    const frame = frameOf(overlap, row);
    return element('g', {}, [title(overlapInWords(overlap)), element('rect', { ...frame, rx: 2, class: 'alarm' })]);
  });
  const [first] = inRow;
  // Last, so that no frame lies over it.
  return first === undefined ? [] : [...frames, ...labelOf(first, frameOf(first, row), isLarge)];
}

function frameOf(overlap: Overlap, row: Row): Readonly<Record<'x' | 'y' | 'width' | 'height', number>> {
  const { x, width } = extentIn(row, overlap);
  const framed = Math.max(FRAME_WIDTH_MIN, width);
  const y = (row.lanes.get(overlap.name) ?? 0) - OVER;
  return { x: x - (framed - width) / 2, y, width: framed, height: row.size.laneHeight + 2 * OVER };
}

function labelOf(
  overlap: Overlap,
  { x: left, y: top }: { readonly x: number; readonly y: number },
  isLarge: boolean,
): readonly string[] {
  const words = isLarge ? overlapInWords(overlap) : 'both believed';
  const width = widthOf(words, 11) + 12;
  const x = Math.min(left, PLOT_LEFT + PLOT_WIDTH - width);
  return [
    element('rect', { x, y: top - LABEL_HEIGHT, width, height: LABEL_HEIGHT, rx: 2, class: 'alarm-ground' }),
    text(words, { x: x + 6, y: top - 4.5, class: 'small on-alarm' }),
  ];
}

export const overlapInWords = ({ name, first, second, fromMs, toMs }: Overlap): string =>
  `${name}: ${first.client} (${first.number}) and ${second.client} (${second.number}) both believed for ${(toMs - fromMs).toFixed(3)} ms at ${exactly(fromMs)}`;
