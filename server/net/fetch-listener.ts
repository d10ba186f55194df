import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type Fetch = (request: Request) => Response | Promise<Response>;

/**
 * Node's HTTP request and response as fetch's, for a Hono app. (`@hono/node-server` does the same; its types need
 * the DOM's, which nothing in a server may name.)
 */
export async function answer(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const left = new AbortController();
  outgoing.once('close', () => left.abort());
  const request = requestOf(incoming, left.signal);
  if (request === null) {
    outgoing.writeHead(400, { connection: 'close' }).end();
    return;
  }
  const response = await fetch(request);
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  if (response.body === null || incoming.method === 'HEAD') {
    outgoing.end();
    return;
  }
  await pipeline(Readable.fromWeb(response.body), outgoing).catch((error: unknown) => {
    // A caller that hung up ends the pipe; nobody is left to be told.
    if (!left.signal.aborted) throw error;
  });
}

/** Null where Host or path do not make a URL. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request | null {
  const { method = 'GET', headers, rawHeaders, url = '/' } = incoming;
  const scheme = 'encrypted' in incoming.socket ? 'https' : 'http';
  const address = `${scheme}://${headers.host ?? 'localhost'}${url}`;
  if (
    !url.startsWith('/') ||
    !URL.canParse(address) ||
    !['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(method)
  )
    return null;
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(address, {
    method,
    headers: pairs,
    signal,
    ...(hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}),
  });
}
