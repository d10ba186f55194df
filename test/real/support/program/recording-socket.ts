import type { Messages, What } from '../log.ts';

/**
 * A WebSocket that writes down what goes through it: each frame stamped before it is sent, and as it arrives before
 * the client sees it. It is how the local deadline is known without asking the client.
 */
export function recordingSocket(log: (what: What, at?: bigint) => void, now: () => bigint): typeof WebSocket {
  let dials = 0;
  return class extends WebSocket {
    readonly #dial: number;

    constructor(url: string | URL, protocols?: ConstructorParameters<typeof WebSocket>[1]) {
      super(url, protocols);
      dials += 1;
      this.#dial = dials;
      log({ event: 'dialled', dial: this.#dial });
      this.addEventListener('message', ({ data }) => {
        log({ event: 'received', dial: this.#dial, messages: messagesOf(data) });
      });
      this.addEventListener('close', ({ code }) => log({ event: 'socket-closed', dial: this.#dial, code }));
    }

    override send(data: Parameters<WebSocket['send']>[0]): void {
      const at = now();
      super.send(data);
      log({ event: 'sent', dial: this.#dial, messages: messagesOf(data) }, at);
    }
  };
}

function messagesOf(data: unknown): Messages {
  if (typeof data !== 'string') return [];
  const parsed: unknown = JSON.parse(data);
  return (Array.isArray(parsed) ? parsed : [parsed]) as Messages; // Only looked at: the client checks what it reads.
}
