import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { isNumber, isRecord, messagesOf, textOf, type Message } from './json.ts';

/** A coordinator's message as another, worse one would say it; null: it says nothing. */
export type Worse = (message: Message) => Message | null;

export interface Proxy {
  readonly url: string;
  close(): void;
}

/** The channel that an answer is told in instead of its own. */
export type Elsewhere = (channel: number, message: Message) => number;

/** Stands between scripts and a coordinator, and makes of it one that breaks a rule. */
export async function proxyOf(
  target: string,
  worse: Worse,
  elsewhere: Elsewhere = (channel) => channel,
): Promise<Proxy> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (client, request) => {
    const subprotocol = request.headers['sec-websocket-protocol'] ?? 'leasehold.v1';
    const upstream = new WebSocket(`${target}${request.url ?? ''}`, subprotocol);
    const waiting: { readonly data: Buffer; readonly binary: boolean }[] = [];
    client.on('message', (data: Buffer, binary) => {
      if (upstream.readyState === WebSocket.OPEN) upstream.send(data, { binary });
      else waiting.push({ data, binary });
    });
    upstream.on('open', () => {
      for (const { data, binary } of waiting.splice(0)) upstream.send(data, { binary });
    });
    upstream.on('message', (data: Buffer) => {
      for (const frame of worseFrames(data.toString('utf8'), worse, elsewhere)) client.send(frame);
    });
    upstream.on('close', (code, reason) => {
      if (code === 1005 || code === 1006) client.terminate();
      else client.close(code, reason);
    });
    client.on('close', () => upstream.terminate());
    client.on('error', () => undefined);
    upstream.on('error', () => undefined);
  });
  const { port } = server.address() as AddressInfo; // A TCP server's address is never a path.
  return {
    url: `ws://127.0.0.1:${port}`,
    close: () => {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

/** A frame, or each message of an envelope in an envelope of its own. */
function worseFrames(text: string, worse: Worse, elsewhere: Elsewhere): readonly string[] {
  const frame = messagesOf(text) ?? [];
  const [envelope] = frame;
  const channel = envelope?.['channel'];
  if (envelope === undefined || !isNumber(channel)) return listed(frame.map(worse));
  const messages = messagesOf(textOf(envelope['messages']));
  if (messages === null) return [text];
  return messages
    .map(worse)
    .filter(isRecord)
    .map((message) => JSON.stringify({ channel: elsewhere(channel, message), messages: [message] }));
}

function listed(messages: readonly (Message | null)[]): readonly string[] {
  const told = messages.filter((message) => message !== null);
  return told.length === 0 ? [] : [JSON.stringify(told)];
}
