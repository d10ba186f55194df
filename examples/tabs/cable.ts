import type { WebSocketClass, WebSocketLike } from 'leasehold';

/** The network of this page, which can be cut like a cable. */
export interface Cable {
  /** For `connect(url, { WebSocket })`. */
  readonly WebSocket: WebSocketClass;
  readonly isCut: boolean;
  /** From now on nothing goes out, nothing comes in, and nobody is told: that is how a dead network looks. */
  cut(): void;
  /** What was under way arrives late, as it does from a network that comes back. */
  mend(): void;
}

/** `onTraffic` is called first whenever anything comes in, so that it runs before the library does. */
export function cable(onTraffic: () => void): Cable {
  let isCut = false;
  /** What happens to the sockets meanwhile, in order, for when the cable is whole again. */
  let waiting: (() => void)[] = [];
  const pass = (act: () => void): void => {
    onTraffic();
    if (isCut) waiting.push(act);
    else act();
  };
  return {
    WebSocket: socketClass(pass),
    get isCut() {
      return isCut;
    },
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
      const acts = waiting;
      waiting = [];
      for (const act of acts) act();
    },
  };
}

function socketClass(pass: (act: () => void) => void): WebSocketClass {
  return class implements WebSocketLike {
    onopen: ((event: never) => void) | null = null;
    onmessage: ((event: never) => void) | null = null;
    onerror: ((event: never) => void) | null = null;
    onclose: ((event: never) => void) | null = null;
    #real: WebSocket | null = null;
    #isClosed = false;

    constructor(url: string, protocols: string[]) {
      pass(() => {
        // Whoever dialled has given up waiting.
        if (this.#isClosed) return;
        const real = new WebSocket(url, protocols);
        this.#real = real;
        // The types of the events are those of the class that fires them.
        real.addEventListener('open', (event) => pass(() => this.onopen?.(event as never)));
        real.addEventListener('message', (event) => pass(() => this.onmessage?.(event as never)));
        real.addEventListener('error', (event) => pass(() => this.onerror?.(event as never)));
        real.addEventListener('close', (event) => pass(() => this.onclose?.(event as never)));
      });
    }

    get readyState(): number {
      return this.#real?.readyState ?? WebSocket.CONNECTING;
    }

    send(data: string): void {
      pass(() => {
        if (this.#real?.readyState === WebSocket.OPEN) this.#real.send(data);
      });
    }

    close(code?: number): void {
      this.#isClosed = true;
      pass(() => this.#real?.close(code));
    }
  };
}
