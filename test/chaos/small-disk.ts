import { mkdtempSync, openSync, closeSync, rmSync, rmdirSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCode } from '../../server/journal/failures.ts';
import { DISK_PREFIX, undoing } from './left-over.ts';
import { system } from './tools.ts';

const BLOCK = new Uint8Array(64 * 1024);
const PAGE = new Uint8Array(4096);

/** A disk of this run's own (tmpfs), small enough to be filled. */
export class SmallDisk implements Disposable {
  readonly folder: string;
  readonly #undo: Disposable;

  constructor(megabytes: number) {
    const folder = mkdtempSync(join(tmpdir(), `${DISK_PREFIX}${process.pid}-`));
    system('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'leasehold-chaos', folder);
    this.folder = folder;
    this.#undo = undoing(() => {
      system('umount', '--lazy', folder);
      rmdirSync(folder);
    });
  }

  /** Not a page is left. */
  fill(): void {
    const file = openSync(this.#ballast, 'w');
    for (const part of [BLOCK, PAGE]) {
      try {
        for (;;) writeSync(file, part);
      } catch (error) {
        if (systemCode(error) !== 'ENOSPC') throw error;
      }
    }
    closeSync(file);
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  get #ballast(): string {
    return join(this.folder, 'ballast');
  }

  [Symbol.dispose](): void {
    this.#undo[Symbol.dispose]();
  }
}
