import { markOf, type Mark } from './marks.ts';
import { part } from './paper.ts';

const WORDS: readonly (readonly [Mark, string])[] = [
  ['given-back', 'stepped down'],
  ['lost', 'lost it'],
  ['unheard', 'gone without a word'],
  ['frozen', 'code stood still'],
  ['cut', 'network cut'],
];

/** What the marks of the chart mean. */
export function drawLegend(list: HTMLElement): void {
  const items = WORDS.map(([kind, words]) => entry(markOf(kind, 9, 9), words));
  const gap = part('rect', { class: 'gap', x: 3, y: 0, width: 12, height: 18 });
  list.replaceChildren(...items, entry(gap, 'nobody led'));
}

function entry(drawn: SVGElement, words: string): HTMLElement {
  const item = document.createElement('li');
  item.append(part('svg', { viewBox: '0 0 18 18', width: 18, height: 18 }, drawn), words);
  return item;
}
