import {
  WORKER_ANSWER_AGAIN_MS,
  WORKER_ANSWER_MS,
  WORKER_HEARS_MS,
  WORKER_NAME,
  type ToTab,
  type ToWorker,
} from './messages.ts';

const OPEN = 1;
const CLOSED = 3;
/** A timer that fires this late, in ms, says that the page stood still: the worker's word may have come in meanwhile. */
const LATE_MS = 20;
/** What came in meanwhile is read by then, in ms. */
const READ_MS = 250;

/** One dial over the shared worker: to the client it is a WebSocket. */
export class SharedSocket {
  /** The last one was closed with frames that the worker had not said to have heard. */
  static #wasUnheard = false;
  readyState = 0;
  onopen: ((event: object) => void) | null = null;
  onmessage: ((event: { readonly data: string }) => void) | null = null;
  onerror: ((event: object) => void) | null = null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null = null;
  readonly #port: MessagePort;
  readonly #dead: (problem: string) => void;
  /** Ends what waits for the worker's lock. */
  readonly #leaving = new AbortController();
  /** The worker waits for this tab's lock: it is free when the tab has ended, however it did. */
  #letGo: () => void = () => undefined;
  #taken: () => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Frames that the worker has not said to have heard. */
  #unheard = 0;

  private constructor(port: MessagePort, dead: (problem: string) => void) {
    this.#port = port;
    this.#dead = dead;
    port.onmessage = ({ data }) => this.#take(data as ToTab); // Posted by our own worker, of the same version.
  }

  /**
   * Resolves with a socket that connects, once a worker has answered. Rejects where there is none, in words; `dead` is told
   * when it ends or falls silent later, just before the socket is closed.
   */
  static dial(where: string | URL | undefined, url: string, dead: (problem: string) => void): Promise<SharedSocket> {
    return new Promise((resolve, reject) => {
      // Absent where the page is not of https or localhost, whatever the types say.
      if (!('locks' in navigator)) throw new Error('the page has no Web Locks');
      // Beside the file that this one was built into, where no bundler has moved it.
      const script = where ?? new URL('./shared-worker.js', import.meta.url);
      const worker = new SharedWorker(script, { name: WORKER_NAME, type: 'module' });
      let asked = true;
      const socket = new SharedSocket(worker.port, (problem) => {
        if (asked) reject(new Error(problem));
        else dead(problem);
      });
      worker.onerror = () => asked && socket.#fail('it cannot be loaded');
      socket.#taken = () => {
        asked = false;
        resolve(socket);
      };
      socket.#ask(url);
    });
  }

  send(data: string): void {
    if (this.readyState !== OPEN) return;
    this.#post(data);
    this.#unheard += 1;
    if (this.#unheard === 1) this.#await(WORKER_HEARS_MS);
  }

  close(): void {
    if (this.readyState === CLOSED) return;
    SharedSocket.#wasUnheard = this.#unheard > 0;
    this.#post({ kind: 'close' });
    this.#end();
  }

  #ask(url: string): void {
    const lock = `leasehold-tab-${crypto.randomUUID()}`;
    this.#await(SharedSocket.#wasUnheard ? WORKER_ANSWER_AGAIN_MS : WORKER_ANSWER_MS);
    SharedSocket.#wasUnheard = false;
    navigator.locks
      .request(lock, () => {
        this.#post({ kind: 'dial', url, lock });
        return this.readyState === CLOSED ? undefined : new Promise<void>((resolve) => (this.#letGo = resolve));
      })
      .catch((cause: unknown) => this.#fail(String(cause)));
  }

  #post(message: ToWorker): void {
    this.#port.postMessage(message);
  }

  #take(message: ToTab): void {
    if (this.readyState === CLOSED) return;
    if (typeof message === 'string') return this.onmessage?.({ data: message });
    switch (message.kind) {
      case 'taken':
        clearTimeout(this.#timer);
        this.#watch(message.lock);
        return this.#taken();
      case 'opened':
        this.readyState = OPEN;
        return this.onopen?.({});
      case 'heard':
        return this.#heard();
      case 'closed':
        return this.#close(message.code, message.reason);
      case 'useless':
        return this.#fail(message.problem);
      default:
        message satisfies never;
    }
  }

  /** The worker holds that lock for as long as it lives. */
  #watch(lock: string): void {
    const { signal } = this.#leaving;
    navigator.locks
      .request(lock, { mode: 'shared', signal }, () => this.#fail('it has ended'))
      // Left before that: of no interest any more.
      .catch(() => undefined);
  }

  #heard(): void {
    this.#unheard -= 1;
    clearTimeout(this.#timer);
    if (this.#unheard > 0) this.#await(WORKER_HEARS_MS);
  }

  /** A word of the worker is due. A page that stood still reads first. */
  #await(ms: number, again = false): void {
    const wait = again ? READ_MS : ms;
    const due = performance.now() + wait;
    this.#timer = setTimeout(() => {
      if (!again && performance.now() - due > LATE_MS) this.#await(ms, true);
      else this.#fail(`it has said nothing for ${ms} ms`);
    }, wait);
  }

  #fail(problem: string): void {
    if (this.readyState === CLOSED) return;
    this.#dead(problem);
    this.#close(1006, `the shared worker: ${problem}`);
  }

  #close(code: number, reason: string): void {
    if (this.readyState === CLOSED) return;
    this.#end();
    this.onclose?.({ code, reason });
  }

  #end(): void {
    this.readyState = CLOSED;
    clearTimeout(this.#timer);
    this.#leaving.abort();
    this.#letGo();
    this.#port.close();
  }
}
