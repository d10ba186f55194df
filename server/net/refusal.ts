import { CODES, type Code } from '../../shared/codes.ts';
import type { CoordinatorMessageOf } from '../../shared/frames.ts';
import type { RequestId } from '../../shared/ids.ts';
import { ID_BYTES_MAX } from '../../shared/limits.ts';
import { durationMs } from '../../shared/time.ts';
import { cutToBytes } from '../../shared/utf8.ts';

const MESSAGE_BYTES_MAX = 2_048;

export interface RefusalDetails {
  readonly request?: RequestId | undefined;
  readonly param?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** An `error` message: `text` says what was given, what is allowed and what cures it. */
export function errorMessage(code: Code, text: string, details: RefusalDetails = {}): CoordinatorMessageOf<'error'> {
  return {
    type: 'error',
    ...(details.request === undefined ? {} : { request: details.request }),
    code,
    message: cutToBytes(text, MESSAGE_BYTES_MAX),
    retryable: CODES[code].retryable,
    ...(details.retryAfterMs === undefined ? {} : { retryAfterMs: durationMs(details.retryAfterMs) }),
    ...(details.param === undefined || details.param === '' ? {} : { param: cutToBytes(details.param, ID_BYTES_MAX) }),
  };
}
