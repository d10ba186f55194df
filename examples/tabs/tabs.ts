/**
 * Every tab of this page is a candidate in one election; the one that leads counts. With `?frames=4` the page stands for
 * nothing itself, and holds four candidates side by side.
 */
import { showBoard } from './board.ts';
import { showCard } from './card.ts';
import { showTab } from './tab.ts';

const FRAMES_MAX = 6;

const asked = new URLSearchParams(location.search).get('frames');
const frames = Math.min(FRAMES_MAX, Math.max(1, Math.floor(Number(asked)) || 4));
if (document.documentElement.dataset['page'] === 'card') showCard();
else if (asked === null) showTab();
else showBoard(frames);
