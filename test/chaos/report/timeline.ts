import type { ChaosRun, Verdict } from '../run.ts';
import { coloursOf } from './colours.ts';
import { LARGE, rowAt, smallFor, type Row } from './layout.ts';
import { legendAt } from './legend.ts';
import { clock, element, text } from './markup.ts';
import { pictureOf, WHOLE_MS_MAX, type Picture } from './model.ts';
import { drawRow, type Colours } from './row.ts';
import { MARGIN, PLOT_LEFT, STYLE, WIDTH } from './style.ts';

const ROW_GAP = 18;

/** Drawn so far, and how far down that goes. */
interface Drawn {
  readonly svg: readonly string[];
  readonly bottom: number;
}

/** Who believed what, when: a lane for each name, a bar for each belief, and beneath them what was broken meanwhile. */
export function timelineOf(run: ChaosRun, verdict: Verdict): string {
  const picture = pictureOf(run);
  const colours = coloursOf(run.clients);
  const head = headOf(run, verdict, picture);
  const large = largeRows(picture, colours, head.bottom);
  const whole =
    picture.lastMs <= WHOLE_MS_MAX ? { svg: [], bottom: large.bottom } : wholeRun(picture, colours, large.bottom);
  const height = whole.bottom + MARGIN - ROW_GAP;
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: WIDTH,
      height,
      viewBox: `0 0 ${WIDTH} ${Math.ceil(height)}`,
      role: 'img',
    },
    [
      element('title', {}, [`Who believed what, when`]),
      element('style', {}, [STYLE]),
      element('defs', {}, [hatch]),
      element('rect', { width: WIDTH, height, class: 'ground' }),
      ...head.svg,
      ...large.svg,
      ...whole.svg,
    ].map((part) => `${part}\n`),
  );
}

const hatch = element(
  'pattern',
  { id: 'hatch', width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
  [element('line', { x1: 0, x2: 0, y1: 0, y2: 5, class: 'hatch' })],
);

function headOf(
  { seed, commit, date, clients }: ChaosRun,
  { violations }: Verdict,
  { lastMs, bars, faults }: Picture,
): Drawn {
  const said =
    violations.length === 0 ? 'no violation' : `${violations.length} violation${violations.length === 1 ? '' : 's'}`;
  const facts = [`${clock(lastMs)} min`, `${bars.length} beliefs`, `${faults.length} faults`, `seed ${seed}`];
  const legend = legendAt(clients, MARGIN + 62);
  return {
    svg: [
      text('Who believed what, when', { x: MARGIN, y: MARGIN + 14, class: 'head' }),
      text(said, {
        x: WIDTH - MARGIN,
        y: MARGIN + 14,
        class: `head right ${violations.length === 0 ? '' : 'alarm-text'}`.trim(),
      }),
      text(`${facts.join(' · ')} · ${date.slice(0, 16).replace('T', ' ')} UTC · commit ${commit.slice(0, 7)}`, {
        x: MARGIN,
        y: MARGIN + 38,
        class: 'quiet',
      }),
      legend.svg,
    ],
    bottom: legend.bottom + 20,
  };
}

function largeRows(picture: Picture, colours: Colours, top: number): Drawn {
  const isWhole = picture.lastMs <= WHOLE_MS_MAX;
  const words = isWhole
    ? 'The whole run, a minute a line. A number on a bar is its token, counted from the first of the run.'
    : 'The minutes in which most happened. A number on a bar is its token, counted from the first of the run.';
  const heading = sectionAt(words, top);
  return rowsFrom(picture, colours, LARGE, picture.minutes, heading, (row, index) =>
    isWhole ? [] : badge(index + 1, MARGIN + 8, row.top + 7),
  );
}

function wholeRun(picture: Picture, colours: Colours, top: number): Drawn {
  const size = smallFor(picture.lastMs);
  const heading = sectionAt(`The whole run, ${size.spanMs / 60_000} minutes a line.`, top + 10);
  const starts = Array.from({ length: Math.ceil(picture.lastMs / size.spanMs) }, (_, index) => index * size.spanMs);
  return rowsFrom(picture, colours, size, starts, heading, (row) => framesIn(picture, row));
}

const sectionAt = (words: string, top: number): Drawn => ({
  svg: [text(words, { x: MARGIN, y: top + 12, class: 'section' })],
  bottom: top + 28,
});

function rowsFrom(
  picture: Picture,
  colours: Colours,
  size: Row['size'],
  starts: readonly number[],
  heading: Drawn,
  besides: (row: Row, index: number) => readonly string[],
): Drawn {
  const svg = [...heading.svg];
  let { bottom } = heading;
  for (const [index, fromMs] of starts.entries()) {
    const row = rowAt(picture, size, fromMs, bottom);
    svg.push(drawRow(picture, colours, row), ...besides(row, index));
    bottom = row.bottom + ROW_GAP;
  }
  return { svg, bottom };
}

/** Where the minutes lie that are shown at large. */
function framesIn({ minutes }: Picture, row: Row): readonly string[] {
  return minutes.flatMap((fromMs, index) => {
    const toMs = fromMs + LARGE.spanMs;
    if (toMs <= row.window.fromMs || fromMs >= row.window.toMs) return [];
    const left = row.x(Math.max(fromMs, row.window.fromMs));
    const width = row.x(Math.min(toMs, row.window.toMs)) - left;
    const frame = { x: left, y: row.lanesTop - 3, width, height: row.bottom - row.lanesTop + 3, class: 'frame' };
    return [element('rect', frame), ...badge(index + 1, Math.max(PLOT_LEFT, left) + 8, row.lanesTop - 3)];
  });
}

const badge = (number: number, x: number, y: number): readonly string[] => [
  element('circle', { cx: x, cy: y, r: 7, class: 'badge' }),
  text(String(number), { x, y: y + 3, class: 'on-badge' }),
];
