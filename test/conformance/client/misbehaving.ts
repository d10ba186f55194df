/**
 * A client of one socket, written by hand, that breaks the rule named by its argument, and with `none` keeps those of
 * the first scenario: the suite has to tell them apart.
 */
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { isList, isRecord, messagesOf, typeOf, type Message } from '../json.ts';

const [mode = 'none'] = process.argv.slice(2);
const { LEASEHOLD_URL: url = '', LEASEHOLD_NAME: name = '', LEASEHOLD_TTL_MS: ttl = '' } = process.env;
const MARGIN_MS = 200;
const socket = new WebSocket(`${url}/v1/socket`, 'leasehold.v1');
const stamps = new Map<number, number>();
let frame = 0;
let token = 0;
let end: NodeJS.Timeout | undefined;
let renewal: NodeJS.Timeout | undefined;

function send(message: Message): void {
  frame += 1;
  stamps.set(frame, performance.now());
  const number = mode === 'one-frame-number' && frame > 2 ? 2 : frame;
  socket.send(JSON.stringify({ ...message, frame: number }));
}

const say = (word: string): void => {
  process.stdout.write(`${word} ${name} ${token}\n`);
};

function believe(told: Message, anchor: number): void {
  const [leftMs, ttlMs] = [Number(told['leftMs']), Number(told['ttlMs'])];
  const fromMs = mode === 'count-from-receipt' ? performance.now() : (stamps.get(anchor) ?? performance.now());
  const untilMs = fromMs + leftMs - performance.now();
  const late = mode === 'renew-late' ? 0.85 : 0.65;
  clearTimeout(end);
  clearTimeout(renewal);
  if (mode !== 'never-lost') end = setTimeout(say, untilMs - MARGIN_MS, 'lost');
  const leases = [{ name, fencingToken: token }];
  renewal = setTimeout(send, untilMs - ttlMs * (1 - late), { type: 'renew', request: `n${frame}`, leases });
}

function hear(message: Message): void {
  const { ping = 0, leases } = message;
  switch (typeOf(message)) {
    case 'welcome':
      send({ type: 'acquire', request: 'r', name, ttlMs: Number(ttl) });
      if (mode === 'held-before-grant') {
        token = 1_001;
        say('held');
      }
      break;
    case 'granted':
      token = Number(message['fencingToken']);
      if (mode !== 'held-before-grant') say('held');
      believe(message, Number(message['frame']));
      break;
    case 'renewed': {
      const [told] = isList(leases) ? leases : [];
      if (isRecord(told) && told['leftMs'] !== undefined) believe(told, Number(message['frame']));
      break;
    }
    case 'ping':
      if (mode !== 'no-pong') send({ type: 'pong', ping, clockMs: performance.now() });
      break;
    default:
  }
}

socket.on('open', () => {
  send({ type: 'hello', protocolMin: 1, protocolMax: 1, instance: `instance-${process.pid}`, dial: 1 });
  if (mode === 'before-welcome') send({ type: 'list', request: 'l', name });
});
socket.on('error', () => undefined);
socket.on('message', (data: Buffer) => {
  for (const message of messagesOf(data.toString('utf8')) ?? []) hear(message);
});
createInterface(process.stdin).on('line', () => {
  clearTimeout(end);
  clearTimeout(renewal);
  const release = (): void => send({ type: 'release', request: 'x', name, fencingToken: token });
  if (mode === 'release-first') {
    release();
    setTimeout(say, 250, 'released');
  } else {
    say('released');
    release();
  }
});
// Keeps it alive when the socket is gone.
setInterval(() => undefined, 60_000);
