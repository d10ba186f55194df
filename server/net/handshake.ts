import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { CHANNELS_PROTOCOL, PROTOCOL, SOCKET_PATH } from '../../shared/limits.ts';
import { errorBody } from './error-body.ts';

/** A handshake with more headers than this is hostile; Node leaves out those beyond 2,000 in silence (F17). */
export const HEADERS_MAX = 200;

export interface HandshakeProblem {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `<base>/v1/socket`, and one further segment: Firefox delays a new socket to a path that has failed before. */
export function isSocketPath(url: string | undefined, base: string): boolean {
  const path = (url ?? '').split('?', 1)[0] ?? '';
  const own = base + SOCKET_PATH;
  if (path === own) return true;
  return path.startsWith(`${own}/`) && !path.slice(own.length + 1).includes('/');
}

/** The subprotocol that is spoken with somebody who offers these: many sessions on one socket before one. */
export function spokenOf(offered: Iterable<string>): typeof PROTOCOL | typeof CHANNELS_PROTOCOL | null {
  const all = new Set(offered);
  if (all.has(CHANNELS_PROTOCOL)) return CHANNELS_PROTOCOL;
  return all.has(PROTOCOL) ? PROTOCOL : null;
}

export const offeredIn = ({ headers }: IncomingMessage): readonly string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());

/** What is wrong with the request itself, before anything is upgraded; `ws` looks at the key and the method. */
export function handshakeProblem(request: IncomingMessage): HandshakeProblem | null {
  if (request.rawHeaders.length / 2 > HEADERS_MAX) {
    return {
      status: 431,
      text: `The request has ${request.rawHeaders.length / 2} headers; allowed are at most ${HEADERS_MAX}.`,
    };
  }
  if (request.httpVersion !== '1.1') return { status: 400, text: 'A WebSocket handshake is HTTP/1.1.' };
  if (request.headers['sec-websocket-version'] !== '13') {
    return {
      status: 426,
      text: 'The WebSocket version spoken here is 13 (RFC 6455).',
      headers: { 'sec-websocket-version': '13', upgrade: 'websocket' },
    };
  }
  return null;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  426: 'Upgrade Required',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};

/** Answers a request that will not be upgraded, and ends its connection. */
export function refuseHandshake(socket: Duplex, problem: HandshakeProblem): void {
  const code = problem.status === 404 ? 'not-found' : problem.status === 503 ? 'unavailable' : 'bad-request';
  const body = JSON.stringify(errorBody(code, problem.text));
  const lines = [
    `HTTP/1.1 ${problem.status} ${REASONS[problem.status] ?? 'Refused'}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(problem.headers ?? {}).map(([key, value]) => `${key}: ${value}`),
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
