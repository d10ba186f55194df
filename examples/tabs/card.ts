/** The page as a card: one candidate beside others, in a frame of the board. */
import { wireControls } from './controls.ts';
import { find } from './find.ts';
import { hueOf } from './labels.ts';
import type { Scene } from './scene.ts';
import { keepDrawing, stand } from './standing.ts';
import { inLine, secondsOf, shortToken } from './words.ts';

export function showCard(): void {
  // What happens is told by the board.
  const log = (): (() => void) => () => undefined;
  const standing = stand(log);
  wireControls(standing, log, () => draw(standing.candidate.scene()));
  keepDrawing(standing, draw, drawClock);
}

function draw(scene: Scene): void {
  const { me, part, leader, counter } = scene;
  document.documentElement.style.setProperty('--by', String(hueOf(me)));
  document.documentElement.style.setProperty('--lead', String(hueOf(leader?.label ?? me)));
  document.title = `${me} ${STATES[part]}`;
  const card = find('card');
  card.dataset['part'] = scene.isCut && part !== 'leads' ? 'unknown' : part;
  card.dataset['risk'] = scene.isAtRisk ? 'yes' : 'no';
  write('disc', me[0] ?? '');
  write('me', me);
  write('state', STATES[part]);
  write('token', part === 'leads' && leader !== null ? `token ${shortToken(leader.token)}` : behindOf(scene));
  write('count', counter === null ? '–' : counter.count.toLocaleString('en'));
  find('resign').setAttribute('aria-disabled', String(part !== 'leads'));
}

const STATES: Readonly<Record<Scene['part'], string>> = {
  leads: 'leads',
  follows: 'waits',
  nobody: 'waits',
  unknown: 'is cut off',
};

function behindOf({ part, position }: Scene): string {
  if (part === 'unknown') return 'cannot know who leads';
  if (position === null) return '\u00a0';
  return inLine(position);
}

function drawClock(scene: Scene, filled: number): void {
  find('fill').style.transform = `scaleX(${Math.min(1, filled).toFixed(4)})`;
  write('left', leftOf(scene));
}

function leftOf({ part, leader, isAtRisk }: Scene): string {
  if (leader === null) return '\u00a0';
  const left = secondsOf(leader.leftMs);
  if (part !== 'leads') return `${leader.label} has ${left} left`;
  return isAtRisk ? `no answer: stops in ${left}` : `${left} left, unless renewed`;
}

function write(id: string, text: string): void {
  const element = find(id);
  if (element.textContent !== text) element.textContent = text;
}
