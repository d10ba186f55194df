/** Every tab of this page is a candidate in one election; the one that leads counts. */
import { Candidate } from './candidate.ts';
import { nextLabel } from './labels.ts';
import { logInto } from './log.ts';
import { draw, drawClock, find } from './screen.ts';
import { standStill, wasMadeMeanwhile } from './stand-still.ts';

const BLOCK_MS = 10_000;
/** Part of what is missing that the bar makes up in one frame: a renewal is seen to fill it. */
const FILL_RATIO = 0.2;
const CALM_MS = 500;

const log = logInto(find('log'));
const candidate = new Candidate(nextLabel(), log);
const { network, election } = candidate;

function show(): void {
  draw(candidate.scene());
}

let filled = 0;
let part = '';
const isCalm = matchMedia('(prefers-reduced-motion: reduce)');

function frame(): void {
  const scene = candidate.scene();
  // The clocks may say so before the library has had a turn to.
  if (scene.part !== part) draw(scene);
  part = scene.part;
  const goal = scene.leader?.filled ?? 0;
  filled = goal > filled && !isCalm.matches ? filled + (goal - filled) * FILL_RATIO : goal;
  drawClock(scene, filled);
  if (isCalm.matches) setTimeout(() => requestAnimationFrame(frame), CALM_MS);
  else requestAnimationFrame(frame);
}

document.addEventListener(
  'click',
  (click) => {
    if (!wasMadeMeanwhile(click)) return;
    click.preventDefault();
    click.stopImmediatePropagation();
  },
  // Before anything that it was made on.
  { capture: true },
);
find('resign').addEventListener('click', () => void election.resign());
find('block').addEventListener('click', () => void standStill(election, BLOCK_MS, log));
find('cut').addEventListener('click', ({ currentTarget }) => {
  if (network.isCut) network.mend();
  else network.cut();
  log(network.isCut ? 'the network is cut: nothing goes out, nothing comes in' : 'the network is whole again');
  if (currentTarget instanceof HTMLElement) {
    currentTarget.setAttribute('aria-pressed', String(network.isCut));
    currentTarget.textContent = network.isCut ? 'Mend the network' : 'Cut the network';
  }
  show();
});

show();
candidate.follow(show);
requestAnimationFrame(frame);
