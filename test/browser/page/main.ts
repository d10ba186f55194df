import { toLine, type What } from '../../real/support/log.ts';
import { DrivenClient } from '../../real/support/program/driven-client.ts';
import { Features } from './features.ts';
import type { PageOrder } from './orders.ts';
import { Telling } from './telling.ts';

/**
 * The program of the test page: obeys the harness as a client program of a process does, and tells beside it what the
 * page goes through. It runs the built client, as a page of an application would.
 */
declare global {
  // Called by the harness.
  var obey: (order: PageOrder) => void;
}

const clients = new Map<string, DrivenClient>();
const page = location.hash.slice(1);
const telling = new Telling(page);

/** Of `performance.now()`: the harness knows what it counts from. */
const now = (): bigint => BigInt(Math.round(performance.now() * 1e6));

function write(lines: string): void {
  if (lines.includes('"event":"received"')) frameBegins();
  for (const line of lines.split('\n').filter(Boolean)) telling.line(line);
}

const log = (what: What, at = now()): void => write(toLine({ at, client: page, ...what }));

const features = new Features(clients, { now, write });

globalThis.obey = (order) => {
  switch (order.do) {
    case 'connect':
      clients.set(order.client, new DrivenClient(order.client, order, { now, write }));
      return;
    case 'block':
      return block(order);
    case 'tick':
      return tick(order.everyMs);
    case 'leave':
      return void leave();
    case 'look-for':
      return log({ event: 'page', what: `${order.global in globalThis ? 'has' : 'has no'} ${order.global}` });
    case 'probe':
    case 'elect-browser':
    case 'in-worker':
    case 'mount':
    case 'claim':
    case 'withdraw':
    case 'stop-in-hook':
      return features.obey(order);
    default:
      if (!features.passOn(order)) clients.get(order.client)?.obey(order);
  }
};

async function leave(): Promise<void> {
  await Promise.allSettled([...clients.values()].map(({ client }) => client.close()));
  log({ event: 'page', what: 'left' });
}

function block({ client, key, forMs }: Extract<PageOrder, { readonly do: 'block' }>): void {
  log({ event: 'page', what: 'blocks' });
  const from = performance.now();
  while (performance.now() < from + forMs);
  // Said here, since the watch below cannot tell it of a hidden page.
  log({ event: 'stood-still', forMs: performance.now() - from }, BigInt(Math.round(from * 1e6)));
  clients.get(client)?.read(key);
}

function tick(everyMs: number): void {
  log({ event: 'page', what: 'tick' });
  setTimeout(tick, everyMs, everyMs);
}

/**
 * A page whose main thread is given no processor, or is blocked, runs no code and believes nothing meanwhile. Only a
 * visible page can tell: a hidden one's timers come late by themselves.
 */
const WATCH_MS = 20;
const STILL_MS = 100;
let seen = { at: now(), visible: false };
setInterval(() => {
  const before = seen;
  seen = { at: now(), visible: document.visibilityState === 'visible' };
  const forMs = Number(seen.at - before.at) / 1e6;
  if (seen.visible && before.visible && forMs >= STILL_MS) log({ event: 'stood-still', forMs }, before.at);
}, WATCH_MS);

/**
 * A hidden page can tell of the task that handles a frame: the next one tells how long it took. Where it took that long
 * the page had no processor, since no handler of it waits, and nobody else in the page ran meanwhile.
 */
const nextTask = new MessageChannel();
let frameAt: bigint | null = null;
nextTask.port1.onmessage = () => {
  const from = frameAt;
  frameAt = null;
  if (from === null) return;
  const forMs = Number(now() - from) / 1e6;
  if (forMs >= STILL_MS) log({ event: 'stood-still', forMs }, from);
};

function frameBegins(): void {
  if (frameAt !== null) return;
  frameAt = now();
  nextTask.port2.postMessage(null);
}

/** These listeners are older than any of a client: what they read is read first. */
function lifecycle(what: string): void {
  log({ event: 'page', what });
  features.look();
}
addEventListener('pagehide', ({ persisted }) => {
  telling.leaves();
  lifecycle(persisted ? 'pagehide persisted' : 'pagehide');
});
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) telling.isBack();
  lifecycle(persisted ? 'pageshow persisted' : 'pageshow');
});
document.addEventListener('freeze', () => lifecycle('freeze'));
document.addEventListener('resume', () => lifecycle('resume'));
document.addEventListener('visibilitychange', () => lifecycle(document.visibilityState));

addEventListener('error', ({ message }) => log({ event: 'unhandled', text: message }));
addEventListener('unhandledrejection', ({ reason }) => log({ event: 'unhandled', text: String(reason) }));
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  log({ event: 'unhandled', text: `the policy refused ${blockedURI} (${violatedDirective})` });
});
