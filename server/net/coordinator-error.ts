import type { Code } from '../../shared/codes.ts';

/** What `createCoordinator` and its methods throw: an option outside its range, or a coordinator that cannot. */
export class CoordinatorError extends Error {
  readonly code: Code;
  /** The option that was wrong. */
  readonly param: string | null;

  constructor(code: Code, message: string, details: { readonly param?: string; readonly cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'CoordinatorError';
    this.code = code;
    this.param = details.param ?? null;
  }
}
