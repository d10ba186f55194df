import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { eventually } from '../../real/support/waiting.ts';

const STARTS_MS = 30_000;

/** The WebDriver program of WebKitGTK on a port of its own, and one session of it. Commands go one at a time. */
export class WebDriver implements AsyncDisposable {
  readonly pid: number;
  version = '';
  /** The window that the browser began with. It stays, so that there is one to be in when all others are closed. */
  first = '';
  readonly #child: ChildProcess;
  readonly #url: string;
  #session = '';
  #last: Promise<unknown> = Promise.resolve();

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.#url = `http://127.0.0.1:${port}`;
  }

  static async start(command: string, display: string, capabilities: object): Promise<WebDriver> {
    const port = await freePort();
    const child = spawn(command, ['-p', String(port)], { env: { ...process.env, DISPLAY: display }, stdio: 'ignore' });
    const driver = new WebDriver(child, port);
    await eventually(() => fetch(`${driver.#url}/status`).then(() => true, () => null), STARTS_MS, command); // prettier-ignore
    const made = await driver.#ask('POST', '/session', { capabilities: { alwaysMatch: capabilities } });
    const { sessionId, capabilities: has } = made as { sessionId: string; capabilities: { browserVersion: string } }; // By the standard.
    driver.#session = `/session/${sessionId}`;
    driver.version = has.browserVersion;
    driver.first = (await driver.#ask('GET', `${driver.#session}/window`)) as string; // By the standard.
    return driver;
  }

  /** Commands in one window, which nobody else's come between. */
  inWindow<T>(handle: string, act: (command: Command) => Promise<T>): Promise<T> {
    return this.alone(async (command) => {
      await command('POST', '/window', { handle });
      return act(command);
    });
  }

  alone<T>(act: (command: Command) => Promise<T>): Promise<T> {
    const acted = this.#last.then(() => act((method, path, body) => this.#ask(method, this.#session + path, body)));
    this.#last = acted.catch(() => undefined);
    return acted;
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const request = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const answer = await fetch(this.#url + path, request);
    const { value } = (await answer.json()) as { value: unknown }; // By the standard.
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A renderer that was killed may have taken the session with it.
    await this.#ask('DELETE', this.#session).catch(() => undefined);
    this.#child.kill();
  }
}

export type Command = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // A TCP server's address is never a path.
      server.close(() => resolve(port));
    });
  });
}
