import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'leasehold';
import type { BrowserElection, Client, ConnectOptions } from 'leasehold';

const WITHIN_MS = 5_000;
let names = 0;
/** The locks of a process are shared by all of its tests. */
export const freshName = (): string => `scope-browser-${process.pid}-${(names += 1)}`;

/** A WebSocket that nobody may make. */
export class NoSocket {
  static made = 0;
  readyState = 0;
  onopen = null;
  onmessage = null;
  onerror = null;
  onclose = null;
  constructor() {
    NoSocket.made += 1;
  }
  send(): void {
    throw new Error('nothing is sent');
  }
  close(): void {
    throw new Error('nothing is closed');
  }
}

/** There is no coordinator. */
export const client = (label: string, options: ConnectOptions = {}): Client =>
  connect('ws://127.0.0.1:1', { label, WebSocket: NoSocket, ...options });

export async function until(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + WITHIN_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${WITHIN_MS} ms: ${what}`);
    await sleep(2);
  }
}

export const leads = (election: BrowserElection): Promise<void> => until(() => election.isLeader, 'it leads');
export const stands = (election: BrowserElection): Promise<void> =>
  until(() => election.position !== null, 'it has a place in the queue');

/** All that it tells, in order. */
export function tellingOf(election: BrowserElection): string[] {
  const told: string[] = [];
  let last = election.status;
  election.subscribe(() => {
    const { status } = election.getSnapshot();
    if (status !== last) told.push(`status ${status}`);
    last = status;
  });
  election.on('elected', (lease) => {
    told.push(`elected ${lease.status}`);
    lease.signal.addEventListener('abort', () => told.push('aborted'));
    lease.on('lost', ({ code }) => void told.push(`lost ${code}`));
    lease.on('released', () => void told.push('released'));
  });
  election.on('deposed', ({ code }) => void told.push(`deposed ${code}`));
  election.on('leader', (leader) => void told.push(`leader ${leader?.label ?? null}`));
  return told;
}
