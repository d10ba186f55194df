import type { Counts } from './oracles.ts';

/** A coordinator in a process of its own, as the bench and its clients need it, however it was started. */
export interface Coordinating {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  readonly living: boolean;
  /** What it counts; null while it does not answer. */
  counts(): Promise<Counts | null>;
  kill(): Promise<void>;
}

/** What `/readyz` of the coordinator at that port counts. */
export async function countsAt(port: number): Promise<Counts | null> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
  return answer === null ? null : ((await answer.json()) as Counts); // Our own coordinator's page.
}
