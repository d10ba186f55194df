import { LOG_PAGES_MAX, type Log } from './log.ts';

/** Nothing appended for this long: a good time to write the log back. */
const IDLE_MS = 2_000;
/** After a write-back that failed: the disk is not asked again sooner. */
const AGAIN_MS = 1_000;

export interface WriteBackPacer {
  appended(log: Log): void;
  stop(): void;
}

/** When the log is written back: when it has grown long, and when nothing has been appended for a while. */
export function writeBackPacer(onFailed: (error: unknown) => void): WriteBackPacer {
  let idle: NodeJS.Timeout | undefined;
  let notBefore = 0;

  function writeBackBeyond(log: Log, pages: number): void {
    try {
      if (performance.now() >= notBefore && log.pages > pages) log.writeBack();
    } catch (error) {
      notBefore = performance.now() + AGAIN_MS;
      onFailed(error);
    }
  }

  return {
    appended(log) {
      clearTimeout(idle);
      writeBackBeyond(log, LOG_PAGES_MAX);
      // One page is what a write-back itself leaves in the log.
      idle = setTimeout(writeBackBeyond, IDLE_MS, log, 1);
      idle.unref();
    },
    stop: () => clearTimeout(idle),
  };
}
