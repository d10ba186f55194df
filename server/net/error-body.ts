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

export function errorBody(code: Code, message: string, requestId: string = nanoid(12)): ErrorBody {
  return { error: { code, message, retryable: CODES[code].retryable, requestId } };
}
