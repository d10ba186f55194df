import { hueOf } from '../labels.ts';
import type { Head } from './head.ts';
import { inHue } from './paper.ts';

/** One line for each lane; only what differs is touched. */
export function drawHeads(list: HTMLElement, heads: readonly Head[]): void {
  while (list.children.length > heads.length) list.lastElementChild?.remove();
  while (list.children.length < heads.length) list.append(emptyHead());
  for (const [index, head] of heads.entries()) {
    const item = list.children[index];
    if (item instanceof HTMLElement) drawHead(item, head);
  }
}

function emptyHead(): HTMLElement {
  const item = document.createElement('li');
  const disc = document.createElement('span');
  disc.className = 'disc';
  disc.ariaHidden = 'true';
  item.append(disc, document.createElement('b'), document.createElement('small'));
  return item;
}

function drawHead(item: HTMLElement, { label, words, leads, isMine, isGone }: Head): void {
  inHue(item, hueOf(label));
  const state = leads ? 'leads' : isGone ? 'gone' : 'waits';
  if (item.dataset['state'] !== state) item.dataset['state'] = state;
  const texts = [label[0] ?? '', label, isMine ? `${words} · this tab` : words];
  for (const [index, text] of texts.entries()) {
    const element = item.children[index];
    if (element !== undefined && element.textContent !== text) element.textContent = text;
  }
}
