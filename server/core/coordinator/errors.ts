import { CODES, type Code } from '../../../shared/codes.ts';
import type { CoordinatorMessageOf } from '../../../shared/frames.ts';
import type { RequestId } from '../../../shared/ids.ts';
import type { DurationMs } from '../../../shared/time.ts';
import { cutToBytes } from '../../../shared/utf8.ts';

/** What a refusal is about, beside its code. */
export interface Refusal {
  readonly request?: RequestId;
  readonly code: Code;
  /** What was given and what is allowed; the registry's own words where there is nothing to add. */
  readonly problem?: string;
  /** What can be done about it; the registry's own words unless `problem` says it already. */
  readonly cure?: '';
  readonly param?: string | null;
  readonly retryAfterMs?: DurationMs | null;
  readonly position?: number;
}

const MESSAGE_BYTES_MAX = 2_048;

/** A refusal as it goes out: code, values, cure, and whether and when to try again (S10). */
export function errorMessage(refusal: Refusal): CoordinatorMessageOf<'error'> {
  const { request, code, problem, cure, param, retryAfterMs, position } = refusal;
  const entry = CODES[code];
  return {
    type: 'error',
    ...(request === undefined ? {} : { request }),
    code,
    message: cutToBytes(
      `${sentence(problem ?? entry.meaning)} ${cure ?? cureOf(entry.cure)}`.trimEnd(),
      MESSAGE_BYTES_MAX,
    ),
    retryable: entry.retryable,
    ...(retryAfterMs === undefined || retryAfterMs === null ? {} : { retryAfterMs }),
    ...(param === undefined || param === null ? {} : { param }),
    ...(position === undefined ? {} : { position }),
  };
}

/** The registry's page says that nothing has to be done; behind a message that would read as a reason. */
const cureOf = (text: string): string => (text === 'Nothing.' ? '' : text);

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
