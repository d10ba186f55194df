import { AWAY, BACK, CLOSED, CRASHED } from './endings.ts';
import { FROZEN } from './frozen.ts';
import { HIDDEN } from './hidden.ts';
import { IN_BROWSER, SHARING } from './one-browser.ts';
import { RELOADED, RESTARTED } from './returning.ts';
import type { Story } from './story.ts';

/** In the order of the table; what kills a renderer comes last, since it may take a browser's driver with it. */
export const STORIES: readonly Story[] = [
  HIDDEN,
  FROZEN,
  CLOSED,
  AWAY,
  BACK,
  RELOADED,
  RESTARTED,
  SHARING,
  IN_BROWSER,
  CRASHED,
];

/** The same, for whoever has little time: each row beside the others in one browser, in its order; then the rest. */
export const LANES: readonly (readonly Story[])[] = [
  [HIDDEN],
  [FROZEN, CLOSED, AWAY, BACK],
  [RELOADED, RESTARTED, SHARING, IN_BROWSER],
];
export const AT_LAST: readonly Story[] = [CRASHED];
