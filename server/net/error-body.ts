import { nanoid } from 'nanoid';
import { CODES, type Code } from '../../shared/codes.ts';

/** The body of every HTTP answer that is not a success. */
export interface ErrorBody {
  readonly error: {
    readonly code: Code;
    readonly message: string;
    readonly retryable: boolean;
    readonly retryAfterMs?: number;
    readonly param?: string;
    readonly requestId: string;
  };
}

export interface ErrorDetails {
  /** The caller's own, if it sent one. */
  readonly requestId?: string | undefined;
  /** The field at fault. */
  readonly param?: string | undefined;
}

export function errorBody(
  code: Code,
  message: string,
  { requestId = nanoid(12), param }: ErrorDetails = {},
): ErrorBody {
  const at = param === undefined ? {} : { param };
  return { error: { code, message, retryable: CODES[code].retryable, ...at, requestId } };
}
