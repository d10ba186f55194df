import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from '../../real/support/built.ts';
import { now } from '../../real/support/log.ts';

const PAGE = fileURLToPath(new URL('../page/main.ts', import.meta.url));
const WORKER = fileURLToPath(new URL('../page/worker.ts', import.meta.url));
const DIST = join(ROOT, 'client/dist');

/** Each page has its own icon, so that the browser asks for none. */
const html = (script: string): string =>
  `<!doctype html><meta charset="utf-8"><title>test page</title><link rel="icon" href="data:,">${script}`;

/**
 * Serves, on loopback and under the strictest policy that such a page can have: the test page, a page without a script to go
 * away to, and the built client as it is shipped.
 */
export class PageServer implements AsyncDisposable {
  /** Where pages may connect; nowhere before it is set. */
  connectTo = '';
  readonly #server: Server;
  /** By label: who is given what its page posts. */
  readonly #hearers = new Map<string, (text: string) => void>();
  /** By path. */
  readonly #programs: ReadonlyMap<string, string>;

  private constructor(programs: ReadonlyMap<string, string>) {
    this.#programs = programs;
    this.#server = createServer((request, response) => {
      if (request.method === 'POST') this.#posted(request, response);
      else void this.#answer(request, response);
    });
  }

  static async open(): Promise<PageServer> {
    const [page, worker] = await Promise.all([programText(PAGE), programText(WORKER)]);
    const programs = new Map([
      ['/page.js', page],
      ['/worker.js', worker],
    ]);
    const server = new PageServer(programs);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // A TCP server's address is never a path.
  }

  /** Calls back with each line that a page of this label posts. */
  hear(label: string, told: (text: string) => void): void {
    this.#hearers.set(label, told);
  }

  /** What a page tells in a browser that has no binding for it; and the time, by which it finds out about its own clock. */
  #posted(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === '/clock') {
      response.end(String(now()));
      return;
    }
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => (body += text));
    request.on('end', () => {
      const told = this.#hearers.get(basename(request.url ?? ''));
      for (const line of body.split('\n')) told?.(line);
      response.end();
    });
  }

  async #answer({ url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await this.#bodyOf(url).catch(() => null);
    response.writeHead(body === null ? 404 : 200, {
      'content-type': url.endsWith('.js') ? 'text/javascript' : 'text/html',
      'content-security-policy': `default-src 'none'; script-src 'self'; worker-src 'self'; img-src data:; connect-src ${this.connectTo || "'none'"}`,
    });
    response.end(body ?? '');
  }

  async #bodyOf(url: string): Promise<string> {
    if (url === '/page') return html('<script type="module" src="/page.js"></script>');
    if (url === '/elsewhere') return html('');
    return this.#programs.get(url) ?? readFile(join(DIST, basename(url)), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A program of the test page as JavaScript; it imports the client from the server, as built. */
async function programText(source: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    plugins: [
      {
        name: 'the built client',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^leasehold$/ }, () => ({ path: '/client/index.js', external: true })),
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}
