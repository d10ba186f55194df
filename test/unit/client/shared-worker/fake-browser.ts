import type { ToTab, ToWorker } from '../../../../client/shared-worker/messages.ts';

/** A SharedWorker that tests speak for. */
export class FakeSharedWorker {
  static made: FakeSharedWorker[] = [];
  onerror: (() => void) | null = null;
  readonly posted: ToWorker[] = [];
  readonly script: string;
  readonly options: unknown;
  portClosed = false;
  readonly port = {
    onmessage: null as ((event: { readonly data: ToTab }) => void) | null,
    postMessage: (message: ToWorker): void => void this.posted.push(message),
    close: (): void => void (this.portClosed = true),
  };

  constructor(script: string | URL, options: unknown) {
    this.script = String(script);
    this.options = options;
    FakeSharedWorker.made.push(this);
  }

  says(message: ToTab): void {
    this.port.onmessage?.({ data: message });
  }
}

type Callback = () => unknown;

/** Web Locks that nobody shares, each held until its callback's promise has settled. */
export class FakeLocks {
  readonly #queues = new Map<string, Callback[]>();

  readonly request = (name: string, ...rest: readonly unknown[]): Promise<unknown> => {
    const callback = rest.at(-1) as Callback; // As the standard has it.
    const { signal } = (rest.length > 1 ? rest[0] : {}) as { readonly signal?: AbortSignal };
    return new Promise((resolve, reject) => {
      const turn = async (): Promise<void> => {
        resolve(await callback());
        this.#release(name, turn);
      };
      signal?.addEventListener('abort', () => {
        if (this.#queues.get(name)?.[0] === turn) return;
        this.#release(name, turn);
        reject(new DOMException('left', 'AbortError'));
      });
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, queue);
      queue.push(turn);
      if (queue.length === 1) queueMicrotask(() => void turn());
    });
  };

  /** Held by somebody else, until the returned function is called. */
  hold(name: string): () => void {
    let free: () => void = () => undefined;
    void this.request(name, () => new Promise<void>((resolve) => (free = resolve)));
    return () => free();
  }

  waiting(name: string): number {
    return this.#queues.get(name)?.length ?? 0;
  }

  #release(name: string, turn: Callback): void {
    const queue = this.#queues.get(name) ?? [];
    const index = queue.indexOf(turn);
    queue.splice(index, 1);
    const [next] = queue;
    if (index === 0 && next !== undefined) void next();
  }
}
