import type { Loop } from './loop.ts';

/** Port: where the coordinator reports. A pino logger fits as it is. */
export interface Logger {
  debug(fields: Readonly<Record<string, unknown>>, text: string): void;
  info(fields: Readonly<Record<string, unknown>>, text: string): void;
  warn(fields: Readonly<Record<string, unknown>>, text: string): void;
  error(fields: Readonly<Record<string, unknown>>, text: string): void;
}

const nothing = (): void => undefined;
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const LINES_PER_SECOND = 10;

/**
 * Lines that a stranger can cause, at most 10 a second; what was left out is counted and told with the next line,
 * so that a flood fills no disk (S11).
 */
export function limitedWarn(
  logger: Logger,
  loop: Loop,
): (fields: Readonly<Record<string, unknown>>, text: string) => void {
  let second = -1;
  let lines = 0;
  let leftOut = 0;
  return (fields, text) => {
    const current = Math.floor(loop.mono() / 1_000);
    if (current !== second) {
      second = current;
      lines = 0;
    }
    if (lines >= LINES_PER_SECOND) {
      leftOut += 1;
      return;
    }
    lines += 1;
    logger.warn(leftOut === 0 ? fields : { ...fields, leftOut }, text);
    leftOut = 0;
  };
}
