import type { Channel } from './line.ts';
import type { Lines } from './lines.ts';
import type { ToTab, ToWorker } from './messages.ts';

/** The worker's end of a port. */
export interface TabPort {
  onmessage: ((event: never) => void) | null;
  postMessage(message: ToTab): void;
  close(): void;
}

export interface TabPorts {
  readonly lines: Lines;
  /** Held by this worker for as long as it lives; settled once it is held. */
  readonly ownLock: Promise<string>;
  /** Calls back when nobody holds the lock of that name any more. */
  readonly whenFree: (lock: string, free: () => void) => void;
  /** Called once, when there is nothing more to serve. */
  readonly over: () => void;
}

/**
 * What a tab posted before it ended may still be on its way when its lock is free, its farewell among it: the channel is
 * closed this much later, in ms.
 */
const LAST_WORDS_MS = 250;
/** Frames for a tab that has said nothing meanwhile: it does not run, and they would be kept for it without end. */
const UNANSWERED_FRAMES_MAX = 4_096;

/** Serves one dial of one tab; returns what tells it that this worker may not reach the coordinator. */
export function serveTab(port: TabPort, { lines, ownLock, whenFree, over: tellOver }: TabPorts): () => void {
  let channel: Channel | null = null;
  let unanswered = 0;
  let opened = false;
  let over = false;
  const tell = (message: ToTab): void => void (over || port.postMessage(message));
  const end = (): void => {
    if (over) return;
    over = true;
    channel?.close();
    port.close();
    tellOver();
  };
  const closed = (code: number, reason: string): void => {
    tell({ kind: 'closed', code, reason });
    end();
  };
  const useless = (problem: string): void => {
    tell({ kind: 'useless', problem });
    end();
  };
  const dial = async (url: string, lock: string): Promise<void> => {
    tell({ kind: 'taken', lock: await ownLock });
    whenFree(lock, () => setTimeout(end, LAST_WORDS_MS));
    if (over) return;
    try {
      channel = lines.open(url, {
        opened: () => {
          opened = true;
          tell({ kind: 'opened' });
        },
        heard: (frame) => {
          unanswered += 1;
          if (unanswered > UNANSWERED_FRAMES_MAX) closed(1006, 'the tab does not read');
          else tell(frame);
        },
        closed,
        unspoken: () => useless('the coordinator speaks no channels'),
      });
    } catch (cause) {
      // Of a page of https that asks for ws:, for one.
      closed(0, String(cause));
    }
  };
  port.onmessage = ({ data }: { readonly data: unknown }) => {
    // Posted by our own door, of the same version: the worker's name says so.
    const message = data as ToWorker;
    unanswered = 0;
    if (typeof message === 'string') {
      channel?.send(message);
      tell({ kind: 'heard' });
    } else if (message.kind === 'dial') void dial(message.url, message.lock);
    else end();
  };
  // Who is connected dialled another coordinator, which the policy allows.
  return () => void (opened || useless('its policy does not let it connect'));
}
