import { clockOf } from './words.ts';

export type Kind = 'plain' | 'good' | 'bad';

/** Writes a line, and returns what writes that line anew. */
export type Log = (text: string, kind?: Kind) => (text: string) => void;

const LINES_MAX = 100;

/** Writes what happened into a list, newest first, each with the time of the machine's clock, as the timeline has it. */
export function logInto(list: HTMLElement): Log {
  return (text, kind = 'plain') => {
    const line = document.createElement('li');
    line.dataset['kind'] = kind;
    const time = document.createElement('time');
    const nowMs = Date.now();
    time.dateTime = new Date(nowMs).toISOString();
    time.textContent = clockOf(nowMs);
    const words = document.createElement('span');
    words.textContent = text;
    line.append(time, words);
    list.prepend(line);
    while (list.children.length > LINES_MAX) list.lastElementChild?.remove();
    return (anew) => {
      words.textContent = anew;
    };
  };
}
