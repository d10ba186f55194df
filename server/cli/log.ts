import pino from 'pino';
import type { Logger } from '../net/logger.ts';
import type { LogLevel } from './settings.ts';

/** Lines that wait for a reader of stderr who has stopped reading; beyond it they are dropped, so that nothing blocks. */
const WAITING_BYTES_MAX = 1_048_576;

export interface Log extends Logger {
  flush(): void;
}

/** JSON lines on stderr. */
export function stderrLog(level: LogLevel): Log {
  const stream = pino.destination({ dest: 2, sync: false, maxLength: WAITING_BYTES_MAX });
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  return Object.assign(log, {
    flush: () => {
      try {
        stream.flushSync();
      } catch {
        // Nobody reads stderr any more: there is nobody to tell.
      }
    },
  });
}
