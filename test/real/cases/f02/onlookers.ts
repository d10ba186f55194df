import { createInterface } from 'node:readline';
import type { Messages } from '../../support/log.ts';
import { RawClient } from '../../support/raw-client.ts';
import { say } from '../../support/script.ts';
import { leastMs } from './names.ts';

/** A program: waits for some names and watches names, and writes down when a lease was seen to be over. */
const [, , url = ''] = process.argv;
const CLAIMS_PER_SOCKET = 100;
/** A session may have 1,000. */
const WATCHES_PER_SOCKET = 900;
const WAITER_TTL_MS = 60_000;

type Message = Messages[number];
type Order =
  | { readonly do: 'wait' | 'watch'; readonly names: readonly string[] }
  | { readonly do: 'report' }
  | { readonly do: 'leave' };

const sockets: RawClient[] = [];
const granted = new Map<string, bigint>();
const releases = new Map<RawClient, Message[]>();
const over = new Map<string, bigint>();
const holders = new Map<string, number>();
let queued = 0;
let least = Infinity;

async function open(names: readonly string[], each: number, ask: (name: string) => Message): Promise<void> {
  for (let from = 0; from < names.length; from += each) {
    const { client } = await RawClient.welcome(url);
    sockets.push(client);
    client.listen((message, at) => take(client, message, at));
    client.sendAll(names.slice(from, from + each).map(ask));
  }
}

function take(client: RawClient, message: Message, at: bigint): void {
  least = Math.min(least, leastMs(message));
  const { type, request } = message;
  if (type === 'queued') queued += 1;
  if (type === 'granted' && typeof request === 'string') {
    granted.set(request, at);
    const { name = '', fencingToken = 0 } = message;
    releases.set(client, [...(releases.get(client) ?? []), { type: 'release', request, name, fencingToken }]);
  }
  if (type === 'view' && typeof request === 'string') look(request, message, at);
}

/** The first holder that is seen is the one that dies. */
function look(name: string, { views }: Message, at: bigint): void {
  const [view] = views as readonly { readonly holders: readonly { readonly fencingToken: number }[] }[]; // Of our protocol.
  const token = view?.holders[0]?.fencingToken;
  const dying = holders.get(name);
  if (dying === undefined && token !== undefined) holders.set(name, token);
  else if (token !== dying && !over.has(name)) over.set(name, at);
}

async function obey(order: Order): Promise<void> {
  switch (order.do) {
    case 'wait':
      await open(order.names, CLAIMS_PER_SOCKET, (name) => ({
        type: 'acquire',
        request: name,
        name,
        ttlMs: WAITER_TTL_MS,
      }));
      while (queued < order.names.length) await new Promise((resolve) => setTimeout(resolve, 10));
      return say('queued');
    case 'watch':
      return open(order.names, WATCHES_PER_SOCKET, (name) => ({ type: 'watch', request: name, name }));
    case 'report':
      return say('report', { granted: [...granted], over: [...over], least });
    case 'leave':
      for (const socket of sockets) {
        socket.sendAll([...(releases.get(socket) ?? []), { type: 'bye', keepMs: 0 }]);
        socket.close();
      }
      // What was said has been written by then.
      await Promise.all(sockets.map((socket) => socket.closed));
      return process.exit();
    default:
      return order satisfies never;
  }
}

let orders = Promise.resolve();
createInterface({ input: process.stdin }).on('line', (line) => {
  orders = orders.then(() => obey(JSON.parse(line) as Order)); // Written by the case.
});
say('ready');
