import { readFileSync, statSync } from 'node:fs';
import type { Coordinating } from './coordinating.ts';
import { msBetween, now } from './log.ts';
import { eventually, sleep } from './waiting.ts';

const LOOK_MS = 50;
/** From the first of it that is seen to the last. */
const WRITING_BACK_MS = 200;

/** What a coordinator does to its disk, as the system tells it. */
export class JournalOnDisk implements Disposable {
  largestLogBytes = 0;
  readonly #coordinator: Pick<Coordinating, 'pid'>;
  readonly #file: string;
  readonly #looking: NodeJS.Timeout;

  constructor(coordinator: Pick<Coordinating, 'pid'>, file: string) {
    this.#coordinator = coordinator;
    this.#file = file;
    this.#looking = setInterval(() => {
      this.largestLogBytes = Math.max(this.largestLogBytes, this.logBytes);
    }, LOOK_MS);
  }

  get logBytes(): number {
    return statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** By the process in its whole life; only on a disk: a file system in memory counts nothing. */
  get writtenBytes(): number {
    const counts = readFileSync(`/proc/${this.#coordinator.pid}/io`, 'utf8');
    return Number(/^write_bytes: (\d+)$/m.exec(counts)?.[1]);
  }

  /** Resolves whether the log was put into the file behind that instant; it begins anew then. */
  async writtenBack(since: bigint, ms: number): Promise<boolean> {
    const isSo = (): true | null => (Date.now() - statSync(this.#file).mtimeMs < msBetween(since, now()) ? true : null);
    return eventually(isSo, ms, 'the log is written back').then(
      async () => {
        await sleep(WRITING_BACK_MS);
        return true;
      },
      () => false,
    );
  }

  [Symbol.dispose](): void {
    clearInterval(this.#looking);
  }
}
