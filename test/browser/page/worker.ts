import { DrivenClient } from '../../real/support/program/driven-client.ts';
import type { Command } from '../../real/support/program/commands.ts';

/** The program of a dedicated worker of the test page: one client, driven by the orders that the page passes on. */
export interface FromWorker {
  /** What its clock counts from, as `performance.timeOrigin` says. */
  readonly origin: number;
  readonly lines: string;
}

let client: DrivenClient | undefined;

const now = (): bigint => BigInt(Math.round(performance.now() * 1e6));

function write(lines: string): void {
  const told: FromWorker = { origin: performance.timeOrigin, lines };
  globalThis.postMessage(told);
}

addEventListener('message', ({ data }: MessageEvent<Command>) => {
  if (data.do === 'connect') client = new DrivenClient(data.client, data, { now, write });
  else client?.obey(data);
});
