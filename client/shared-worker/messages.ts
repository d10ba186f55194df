/** Between a tab and the worker: text is a frame, whole and unread; the rest is this. One port carries one dial. */
export type ToWorker =
  | string
  /** The first message. The tab holds the Web Lock of that name for as long as it wants the channel. */
  | { readonly kind: 'dial'; readonly url: string; readonly lock: string }
  | { readonly kind: 'close' };

export type ToTab =
  | string
  /** The answer to `dial`: the worker lives, and holds the Web Lock of that name until it ends. */
  | { readonly kind: 'taken'; readonly lock: string }
  | { readonly kind: 'opened' }
  /** One frame of the tab has come in, so the worker lives. */
  | { readonly kind: 'heard' }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
  /** This worker is of no use to the tab, which had better dial by itself; in words. */
  | { readonly kind: 'useless'; readonly problem: string };

/** Of the SharedWorker. Another version of the messages above is another name, so that old and new tabs do not meet. */
export const WORKER_NAME = 'leasehold.v1';

/** How long the worker has for its first answer, in ms. */
export const WORKER_ANSWER_MS = 1_000;
/**
 * Where it has left a frame unheard: its program is loaded then, and a page that dials anew for want of an answer has not
 * a second left of a short window.
 */
export const WORKER_ANSWER_AGAIN_MS = 250;
/** And to say that it has heard a frame: less than the client waits for the coordinator's answer to it (R21). */
export const WORKER_HEARS_MS = 900;
