import type { ClientMessage, CoordinatorMessageOf } from '../../shared/frames.ts';
import { isListing, LISTINGS_PER_FRAME_MAX } from './message-cost.ts';
import { requestOf } from './read-frame.ts';
import { errorMessage } from './refusal.ts';
import { checkClientMessage } from './schema.ts';

/** Every message but the first of a socket. */
export type LaterMessage = Exclude<ClientMessage, { readonly type: 'hello' }>;

const RETRY_AFTER_MS = 100;

/** The good ones, and an error for each bad one that names its request; a bad one stops no other. */
export function checkFrame(messages: readonly unknown[]): {
  readonly good: readonly LaterMessage[];
  readonly errors: readonly CoordinatorMessageOf<'error'>[];
} {
  const good: LaterMessage[] = [];
  const errors: CoordinatorMessageOf<'error'>[] = [];
  let listings = 0;
  for (const message of messages) {
    const request = requestOf(message);
    const checked = checkClientMessage(message);
    if (!checked.ok) {
      errors.push(errorMessage(checked.code, checked.text, { param: checked.param, request }));
      continue;
    }
    if (checked.message.type === 'hello') {
      errors.push(
        errorMessage('bad-request', 'Only the first message of a socket is "hello".', { param: 'type', request }),
      );
      continue;
    }
    if (isListing(message)) listings += 1;
    if (listings <= LISTINGS_PER_FRAME_MAX || !isListing(message)) good.push(checked.message);
    else {
      const text = `A frame has at most ${LISTINGS_PER_FRAME_MAX} "list" messages without a name; ask for the others after ${RETRY_AFTER_MS} ms.`;
      errors.push(errorMessage('too-many-requests', text, { request, retryAfterMs: RETRY_AFTER_MS }));
    }
  }
  return { good, errors };
}
