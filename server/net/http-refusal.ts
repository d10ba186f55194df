import type { Context } from 'hono';
import { CODES, type Code } from '../../shared/codes.ts';
import { utf8Bytes } from '../../shared/utf8.ts';
import { errorBody } from './error-body.ts';

const REQUEST_ID_BYTES_MAX = 64;

/** An HTTP answer that is not a success: `message` has the value given, what is allowed, and the cure. */
export function refusal(
  context: Context,
  code: Code,
  message: string,
  { status = CODES[code].http, param }: { readonly status?: number; readonly param?: string | undefined } = {},
): Response {
  const given = context.req.header('idempotency-key');
  const requestId = given !== undefined && utf8Bytes(given) <= REQUEST_ID_BYTES_MAX ? given : undefined;
  // Hono wants a literal; the registry's statuses are HTTP's own.
  return context.json(errorBody(code, message, { requestId, param }), status as 400);
}

export function methodRefused(context: Context): Response {
  context.header('allow', 'GET, HEAD');
  const text = `The method is ${context.req.method}; allowed are GET and HEAD.`;
  return refusal(context, 'bad-request', text, { status: 405 });
}
