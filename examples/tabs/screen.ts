import { lastSteps } from './counter.ts';
import { find } from './find.ts';
import { hueOf, iconOf } from './labels.ts';
import type { Scene } from './scene.ts';
import { placeOf, shortToken, spanOf, tokenParts } from './words.ts';

/** Only what differs is touched: a screen reader hears each change of who leads once, and a frame costs little. */
const write = (id: string, text: string): void => {
  const element = find(id);
  if (element.textContent !== text) element.textContent = text;
};

const root = document.documentElement;
const setHue = (name: '--mine' | '--lead', label: string): void => root.style.setProperty(name, String(hueOf(label)));

const NAMES = { nobody: 'Nobody leads', unknown: 'Not known' } as const;

/** As long as the style's fade takes, and a little more. */
const FADE_MS = 400;
let fading: ReturnType<typeof setTimeout> | undefined;

/** Colours fade where somebody else leads, and only there: in a page that turns dark all of it does so at once. */
function fade(): void {
  clearTimeout(fading);
  root.classList.add('fades');
  fading = setTimeout(() => root.classList.remove('fades'), FADE_MS);
}

/** Everything but what runs with the clock. */
export function draw(scene: Scene): void {
  const { me, part, leader, connection } = scene;
  if (root.dataset['lead'] !== `${part} ${leader?.label}`) fade();
  root.dataset['lead'] = `${part} ${leader?.label}`;
  setHue('--mine', me);
  setHue('--lead', leader?.label ?? me);
  write('me', me);
  write('me-disc', me[0] ?? '');
  write('connection', connection);
  find('connection').dataset['status'] = scene.isCut ? 'cut' : connection;
  const panel = find('leader');
  panel.dataset['part'] = part;
  panel.dataset['risk'] = scene.isAtRisk ? 'yes' : 'no';
  write('leader-name', part === 'nobody' || part === 'unknown' ? NAMES[part] : `${leader?.label ?? ''} leads`);
  find('resign').setAttribute('aria-disabled', String(part !== 'leads'));
  drawToken(leader?.token ?? null);
  write('queue', scene.queue === null ? '–' : String(scene.queue));
  write('place', part === 'leads' ? 'this tab leads' : placeOf(scene.position));
  drawCounter(scene);
  drawTab(scene);
}

/** What runs with the clock; `filled` is how much of the bar is to be seen. */
export function drawClock({ part, leader, isAtRisk }: Scene, filled: number): void {
  write('leader-since', sinceOf(part, leader?.heldForMs ?? null));
  write('left', leader === null ? '–' : `${(leader.leftMs / 1_000).toFixed(1)} s`);
  write('left-words', leftWordsOf(part, isAtRisk));
  find('fill').style.transform = `scaleX(${Math.min(1, filled).toFixed(4)})`;
}

function sinceOf(part: Scene['part'], heldForMs: number | null): string {
  if (part === 'unknown') return 'Without a connection this tab cannot know.';
  if (heldForMs === null) return 'The next in the queue is about to.';
  return part === 'leads' ? `This tab, for ${spanOf(heldForMs)}` : `Another tab, for ${spanOf(heldForMs)}`;
}

function leftWordsOf(part: Scene['part'], isAtRisk: boolean): string {
  if (isAtRisk) return 'at risk: a renewal is unanswered';
  if (part === 'leads') return 'until this tab stops, unless renewed';
  return part === 'follows' ? 'to the deadline, unless renewed' : 'no deadline known';
}

function drawToken(token: number | null): void {
  const { head, tail } = token === null ? { head: '', tail: '–' } : tokenParts(token);
  write('token-head', head);
  write('token-tail', tail);
}

const STEPS = 48;

function drawCounter(scene: Scene): void {
  const { counter } = scene;
  write('count', counter === null ? '–' : counter.count.toLocaleString('en'));
  write('written', writtenOf(scene));
  const steps = counter === null ? [] : lastSteps(counter, STEPS);
  drawSteps(steps);
  const writers = [...new Set(steps.filter((by) => by !== null))];
  const words = writers.length === 0 ? 'No steps yet' : `The last steps were made by ${writers.join(', then ')}`;
  if (find('steps').ariaLabel !== words) find('steps').ariaLabel = words;
}

function writtenOf({ part, counter, writtenUnder }: Scene): string {
  const writer = counter?.reigns.at(-1)?.by;
  if (writer === undefined || writtenUnder === null) return 'nobody wrote yet';
  const words = `written by ${writer}, under token ${shortToken(writtenUnder)}`;
  return part === 'unknown' ? `last heard: ${words}` : words;
}

function drawSteps(steps: readonly (string | null)[]): void {
  const strip = find('steps');
  while (strip.children.length < STEPS) strip.append(document.createElement('i'));
  for (const [index, by] of steps.entries()) {
    const cell = strip.children[index];
    if (!(cell instanceof HTMLElement) || cell.dataset['by'] === (by ?? undefined)) continue;
    if (by === null) delete cell.dataset['by'];
    else cell.dataset['by'] = by;
    cell.style.setProperty('--by', String(by === null ? 0 : hueOf(by)));
  }
}

/** The tab itself: its title and its icon. */
function drawTab({ me, part, leader }: Scene): void {
  const title = part === 'leads' ? `● ${me} leads` : part === 'follows' ? `${me}, behind ${leader?.label ?? ''}` : me;
  if (document.title !== title) document.title = title;
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  const image = iconOf(me, part === 'leads');
  if (icon !== null && icon.href !== image) icon.href = image;
}
