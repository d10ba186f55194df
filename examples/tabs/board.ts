/** The page as a board: several candidates in frames of one page, and who of them led. It stands for nothing itself. */
import { find } from './find.ts';
import { showTimeline } from './timeline/panel.ts';
import { timelineOf } from './timeline/model.ts';
import { Together } from './together/together.ts';

const CANDIDATES_MAX = 6;

export function showBoard(count: number): void {
  document.documentElement.dataset['page'] = 'board';
  for (const element of document.querySelectorAll<HTMLElement>('[data-on]'))
    element.hidden = element.dataset['on'] !== 'board';
  const together = new Together();
  together.restWhenPutAway();
  const list = find('frames');
  const more = find('more');
  const counted = (): void => more.setAttribute('aria-disabled', String(list.children.length >= CANDIDATES_MAX));
  for (let index = 0; index < count; index += 1) list.append(frame(counted));
  counted();
  more.addEventListener('click', () => {
    if (list.children.length >= CANDIDATES_MAX) return;
    list.append(frame(counted));
    counted();
  });
  showTimeline(together, null);
  setInterval(() => announce(together), 250);
}

/** One candidate, with the button that closes it. */
function frame(closed: () => void): HTMLElement {
  const item = document.createElement('li');
  const inside = document.createElement('iframe');
  inside.src = 'card.html';
  inside.title = 'One candidate';
  inside.addEventListener('load', () => fit(inside));
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'close';
  close.textContent = 'Close this one';
  close.addEventListener('click', () => {
    item.remove();
    closed();
  });
  item.append(inside, close);
  return item;
}

/** As high as what is in it, now and when that changes. */
function fit(inside: HTMLIFrameElement): void {
  const card = inside.contentDocument?.getElementById('card');
  if (card === null || card === undefined) return;
  const observer = new ResizeObserver(() => {
    inside.style.height = `${Math.ceil(card.getBoundingClientRect().height)}px`;
    inside.title = inside.contentDocument?.title ?? inside.title;
  });
  observer.observe(card);
}

/** Said aloud where the page is read aloud: only when it changes. */
function announce(together: Together): void {
  const leader = timelineOf(together.happenings).reigns.findLast(({ toMs }) => toMs === null);
  const words = leader === undefined ? 'Nobody leads' : `${leader.label} leads`;
  const line = find('board-leader');
  if (line.textContent !== words) line.textContent = words;
  if (document.title !== `${words}: Leasehold tabs`) document.title = `${words}: Leasehold tabs`;
}
