import { familyOf, coloursOf } from './colours.ts';
import { element, text, widthOf } from './markup.ts';
import { MARGIN, WIDTH } from './style.ts';
import { NO_COLOUR } from './row.ts';

interface Item {
  readonly words: string;
  readonly swatch: (x: number, y: number) => string;
}

const SWATCH = { width: 18, height: 10 };
const LINE_HEIGHT = 20;

const box = (attributes: Readonly<Record<string, string | number>>) => (x: number, y: number) =>
  element('rect', { x, y, ...SWATCH, rx: 2, ...attributes });

const SIGNS: readonly Item[] = [
  {
    words: 'lost',
    swatch: (x, y) =>
      element('path', { d: `M${x + 9} ${y - 1}v12`, class: 'loss' }) +
      element('path', { d: `M${x + 5} ${y - 3}h8l-4 6z`, class: 'loss-head' }),
  },
  { words: 'coordinator killed', swatch: box({ class: 'down' }) },
  { words: 'coordinator stopped', swatch: box({ class: 'stopped' }) },
  { words: 'another fault, in the colour of the process that it hits', swatch: box({ class: 'fault' }) },
  { words: 'two believe at once', swatch: box({ class: 'alarm' }) },
];

/** Clients in one run of lines, signs in another. */
export function legendAt(clients: readonly string[], top: number): { readonly svg: string; readonly bottom: number } {
  const colours = coloursOf(clients);
  const families = [...new Set(clients.map(familyOf))].toSorted();
  const ofClients = families.map((family) => ({
    words: family,
    swatch: box({ fill: colours.get(family) ?? NO_COLOUR }),
  }));
  const first = lineUp(ofClients, top);
  const second = lineUp(SIGNS, first.bottom);
  return { svg: [...first.svg, ...second.svg].join('\n'), bottom: second.bottom };
}

function lineUp(items: readonly Item[], top: number): { readonly svg: readonly string[]; readonly bottom: number } {
  const svg: string[] = [];
  let x = MARGIN;
  let y = top;
  for (const { words, swatch } of items) {
    const width = SWATCH.width + 6 + widthOf(words, 11) * 0.87 + 18;
    if (x > MARGIN && x + width > WIDTH - MARGIN) {
      x = MARGIN;
      y += LINE_HEIGHT;
    }
    svg.push(swatch(x, y), text(words, { x: x + SWATCH.width + 6, y: y + 9, class: 'small' }));
    x += width;
  }
  return { svg, bottom: items.length === 0 ? top : y + LINE_HEIGHT };
}
