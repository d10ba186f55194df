/** What a person sees of a worker. */
export interface Say {
  line(text: string): void;
  /** The same, and the bar stays as it is. */
  ends(text: string): void;
  begins(done: number, token: number): void;
  progress(item: number): void;
}

const BAR_CELLS = 40;
/** Where nobody looks at it as it moves, a line each so many items. */
const ITEMS_PER_LINE = 10;

export function makeSay(label: string, items: number): Say {
  const began = performance.now();
  const moves = process.stdout.isTTY;
  let bar = '';
  const stamped = (text: string): string =>
    `${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${label}  ${text}`;
  const line = (text: string): void => {
    // Above the bar, which is drawn again below it.
    if (moves && bar !== '') process.stdout.write('\r\u001B[K');
    process.stdout.write(`${stamped(text)}\n${moves ? bar : ''}`);
  };
  const draw = (item: number): void => {
    const full = Math.round((item / items) * BAR_CELLS);
    bar = stamped(`${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)} ${String(item).padStart(3)} / ${items}`);
    if (moves) process.stdout.write(`\r\u001B[K${bar}`);
    else if (item % ITEMS_PER_LINE === 0) process.stdout.write(`${bar}\n`);
    if (item !== items) return;
    bar = '';
    if (moves) process.stdout.write('\n');
  };
  return {
    line,
    ends: (text) => {
      if (moves && bar !== '') process.stdout.write('\n');
      bar = '';
      line(text);
    },
    begins: (done, token) => {
      const where =
        done >= items ? 'nothing is left to do' : `${done === 0 ? 'begins' : 'takes over'} at item ${done + 1}`;
      line(`holds the lease under token ${token}: ${where}`);
      if (done < items) line(`to see another take over: kill -9 ${process.pid}, or kill -STOP and -CONT`);
    },
    progress: draw,
  };
}
