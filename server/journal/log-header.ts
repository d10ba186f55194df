import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** `empty`: absent or without a header yet: nothing was ever written through it. */
export type LogState = 'empty' | 'log' | 'not-a-log';

const HEADER_BYTES = 32;
/** The lowest bit says in which byte order the checksums are. */
const MAGIC = 0x377f0682;

/**
 * Tells a log from nothing and from anything else by its header, which SQLite itself would pass over in silence:
 * it takes a log that it cannot read for an empty one. (Format: sqlite.org/fileformat2.html, "The Write-Ahead Log".)
 */
export function logState(path: string): LogState {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return 'empty';
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  const file = openSync(path, 'r');
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  const words = Array.from({ length: HEADER_BYTES / 4 }, (_, index) => header.getUint32(index * 4));
  // A power cut can leave a file that has its length but not yet its bytes.
  if (words.every((word) => word === 0)) return 'empty';
  return isHeader(header, words) ? 'log' : 'not-a-log';
}

function isHeader(header: DataView, words: readonly number[]): boolean {
  const [magic = 0] = words;
  if ((magic & ~1) !== MAGIC) return false;
  const littleEndian = (magic & 1) === 0;
  let first = 0;
  let second = 0;
  for (let at = 0; at < HEADER_BYTES - 8; at += 8) {
    first = (first + header.getUint32(at, littleEndian) + second) >>> 0;
    second = (second + header.getUint32(at + 4, littleEndian) + first) >>> 0;
  }
  return words[6] === first && words[7] === second;
}
