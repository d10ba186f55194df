/** One initial each, so that a tab's icon tells them apart; the place in the list gives the hue. */
const WORDS =
  'Ash Birch Cedar Dune Ember Fern Grove Heron Iris Juniper Kelp Larch Moss North Otter Pine Quartz Reed Sage Thorn Umber Vale Wren Yew'.split(
    ' ',
  );

/** Coprime to the number of words: tabs opened one after the other lie a third of the circle apart. */
const STRIDE = 7;
const KEY = 'leasehold.examples.tabs';

/** A label for this tab: the next of those that this browser has not given lately. */
export function nextLabel(): string {
  const place = (lastPlace() + STRIDE) % WORDS.length;
  try {
    localStorage.setItem(KEY, String(place));
  } catch {
    // A browser that stores nothing for this page: then two tabs may share a label, which is for people alone.
  }
  return WORDS[place] ?? 'Tab';
}

function lastPlace(): number {
  try {
    const stored = Number(localStorage.getItem(KEY) ?? Number.NaN);
    if (Number.isInteger(stored) && stored >= 0) return stored;
  } catch {
    // As above.
  }
  return Math.floor(Math.random() * WORDS.length);
}

/** From green by blue and red to amber; the mustards between look like none of them. */
const HUE_FIRST = 135;
const HUES = 300;

/** In degrees: the same for the same label everywhere, also for a label that is no tab's. */
export function hueOf(label: string): number {
  const place = WORDS.indexOf(label);
  let sum = 0;
  for (const letter of label) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % HUES;
  return (HUE_FIRST + (place < 0 ? sum : (place * HUES) / WORDS.length)) % 360;
}

/** A disc in the tab's colour for the one that leads, a ring for those that wait. */
export function iconOf(label: string, leads: boolean): string {
  const colour = `oklch(0.62 0.14 ${hueOf(label)})`;
  const disc = leads
    ? `<circle cx="16" cy="16" r="15" fill="${colour}"/>`
    : `<circle cx="16" cy="16" r="13" fill="none" stroke="${colour}" stroke-width="4"/>`;
  const letter = `<text x="16" y="22" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="17" fill="${leads ? '#fff' : colour}">${label[0] ?? ''}</text>`;
  const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${disc}${letter}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image)}`;
}
