import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** The wall clock of the processes that have its environment. Their monotonic clocks run on. */
export class WallClock {
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;

  /** `library`: libfaketime; null: the clock of the machine, which cannot be stepped here. */
  constructor(file: string, library: string | null) {
    this.#file = file;
    this.step(0);
    this.env =
      library === null
        ? {}
        : {
            LD_PRELOAD: library,
            FAKETIME_TIMESTAMP_FILE: file,
            // Else a step is seen up to 10 s late.
            FAKETIME_NO_CACHE: '1',
            FAKETIME_DONT_FAKE_MONOTONIC: '1',
          };
  }

  /** Ahead of the machine's by so much, from now on. */
  step(seconds: number): void {
    // Renamed, since an empty file would be no time at all.
    writeFileSync(`${this.#file}.next`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${this.#file}.next`, this.#file);
  }
}

/** A process that is killed leaves what libfaketime shares with its children. */
export function forgetFaketimeOf(pid: number): void {
  for (const left of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) rmSync(`/dev/shm/${left}`, { force: true });
}
