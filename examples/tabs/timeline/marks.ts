import type { End } from './model.ts';
import { part } from './paper.ts';

export type Mark = End['kind'] | 'frozen' | 'cut';

/** Told apart by their shapes; each is drawn round 0, 0. */
const SHAPES: Readonly<Record<Mark, string>> = {
  // An arrow onwards.
  'given-back': 'M-2.5 -4L1.5 0L-2.5 4',
  // A cross.
  lost: 'M-3 -3L3 3M3 -3L-3 3',
  // A question mark without its dot's curve: three dots, since nothing was said.
  unheard: 'M-3.5 0h.01M0 0h.01M3.5 0h.01',
  // Two bars, as on every player.
  frozen: 'M-2.2 -3.5V3.5M2.2 -3.5V3.5',
  // A broken line.
  cut: 'M-4.5 0H-1.5M1.5 0H4.5M-1 -3.5L-2 3.5M2 -3.5L1 3.5',
};

export function markOf(kind: Mark, x: number, y: number): SVGElement {
  return part(
    'g',
    { class: 'mark', 'data-mark': kind, transform: `translate(${x} ${y})` },
    part('circle', { r: 8 }),
    part('path', { d: SHAPES[kind] }),
  );
}
