import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { messagesOf, type Message } from './json.ts';

/** A coordinator's message as another, worse one would say it; null: it says nothing. */
export type Worse = (message: Message) => Message | null;

export interface Proxy {
  readonly url: string;
  close(): void;
}

/** Stands between scripts and a coordinator, and makes of it one that breaks a rule. */
export async function proxyOf(target: string, worse: Worse): Promise<Proxy> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (client, request) => {
    const upstream = new WebSocket(`${target}${request.url ?? ''}`, 'leasehold.v1');
    const waiting: { readonly data: Buffer; readonly binary: boolean }[] = [];
    client.on('message', (data: Buffer, binary) => {
      if (upstream.readyState === WebSocket.OPEN) upstream.send(data, { binary });
      else waiting.push({ data, binary });
    });
    upstream.on('open', () => {
      for (const { data, binary } of waiting.splice(0)) upstream.send(data, { binary });
    });
    upstream.on('message', (data: Buffer) => {
      const told = (messagesOf(data.toString('utf8')) ?? []).map(worse).filter((message) => message !== null);
      if (told.length > 0) client.send(JSON.stringify(told));
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
