import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Hono } from 'hono';
import { errorBody } from './error-body.ts';
import { answer } from './fetch-listener.ts';
import { HEADERS_MAX } from './handshake.ts';

export interface ServerSetup {
  readonly app: Hono;
  /** Addresses, tried in this order at one port; the first must open, a further one may not exist on this machine. */
  readonly hosts: readonly [string, ...string[]];
  readonly port: number;
  readonly connectionsMax: number;
  readonly upgrade: (request: IncomingMessage, stream: Duplex, head: Buffer) => void;
}

export interface OpenServers {
  readonly urls: readonly [string, ...string[]];
  /** Takes no new connection and drops those that are idle. */
  stop(): void;
  /** Drops the others too; resolves when all are gone. */
  close(): Promise<void>;
}

/** Half-open requests are gone after these and one second (F17). Node looks each 30 s only, unless it is told. */
const TIMES = {
  headersTimeout: 5_000,
  requestTimeout: 8_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
} as const;
const HEADER_BYTES_MAX = 16_384;
/** Room for connections that are told that there are too many. */
const CONNECTIONS_BESIDE = 1_000;
const PORT_TRIES = 5;

export async function openServers(setup: ServerSetup): Promise<OpenServers> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await openAll(setup);
    } catch (error) {
      // The free port of one family may be taken in the other.
      if (setup.port !== 0 || tries === PORT_TRIES || codeOf(error) !== 'EADDRINUSE') throw error;
    }
  }
}

async function openAll(setup: ServerSetup): Promise<OpenServers> {
  const [first, ...others] = setup.hosts;
  const servers = [await openOne(setup, first, setup.port)];
  const port = portOf(servers[0]);
  for (const host of others) {
    try {
      servers.push(await openOne(setup, host, port));
    } catch (error) {
      if (codeOf(error) === 'EADDRNOTAVAIL' || codeOf(error) === 'EAFNOSUPPORT') continue;
      await Promise.all(servers.map(closed));
      throw error;
    }
  }
  const urls = setup.hosts.slice(0, servers.length).map((host) => urlOf(host, port));
  return {
    urls: [urlOf(first, port), ...urls.slice(1)],
    stop: () => servers.forEach((server) => server.close()),
    close: async () => {
      await Promise.all(servers.map(closed));
    },
  };
}

async function openOne(setup: ServerSetup, host: string, port: number): Promise<Server> {
  const server = createServer({ ...TIMES, maxHeaderSize: HEADER_BYTES_MAX }, requestListener(setup.app));
  // No limit, since Node leaves out what is beyond it in silence; the listener counts them itself.
  server.maxHeadersCount = 0;
  server.maxConnections = setup.connectionsMax + CONNECTIONS_BESIDE;
  server.on('upgrade', setup.upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return server;
}

function requestListener(app: Hono): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const headers = request.rawHeaders.length / 2;
    if (headers <= HEADERS_MAX) {
      answer((given) => app.fetch(given), request, response).catch(() => response.destroy());
      return;
    }
    const text = `The request has ${headers} headers; allowed are at most ${HEADERS_MAX}.`;
    response.writeHead(431, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(errorBody('bad-request', text)));
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  if (typeof address !== 'object' || address === null) throw new Error('a server that listens on TCP has an address');
  return (address satisfies AddressInfo).port;
}

const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
