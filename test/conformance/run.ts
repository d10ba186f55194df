import { join } from 'node:path';
import { play, type Outcome } from './play.ts';
import type { Script } from './script.ts';

export const COORDINATOR_FOLDER = join(import.meta.dirname, 'coordinator');

export interface RunOptions {
  readonly url: string;
  readonly scripts: readonly Script[];
  /** How many are played beside each other. */
  readonly jobs: number;
  /** Also those that concern whoever else uses the coordinator. */
  readonly disturbing: boolean;
  readonly told?: (outcome: Outcome) => void;
}

/**
 * Plays first, one by one, those that disturb others: a quiet time counts from the start of a coordinator, so that it
 * can be seen soon after it alone. Then the others beside each other, the longest first.
 */
export async function run({ url, scripts, jobs, disturbing, told }: RunOptions): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const one = async (script: Script): Promise<void> => {
    const outcome = await play(url, script);
    outcomes.push(outcome);
    told?.(outcome);
  };
  const longest = scripts.toSorted((a, b) => b.seconds - a.seconds);
  const alone = longest.filter((script) => script.disturbs);
  if (disturbing) await eachOf(alone, 1, one);
  await eachOf(
    longest.filter((script) => !script.disturbs),
    jobs,
    one,
  );
  return outcomes;
}

export async function eachOf<T>(items: readonly T[], jobs: number, act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

/** The table at the end: one row for each rule, with what it proves, and the totals. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    .map(({ name, rule, proves, problem, tookMs }) => [
      problem === null ? 'ok' : 'FAILED',
      proves.join(' '),
      `${(tookMs / 1_000).toFixed(1)} s`,
      name,
      rule,
    ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  const failed = outcomes.filter(({ problem }) => problem !== null);
  const problems = failed.map(({ name, rule, problem }) => `\n${name} ${rule}\n  ${problem ?? ''}`);
  const ids = new Set(outcomes.flatMap(({ proves }) => proves)).size;
  const totals = `\n${outcomes.length - failed.length} rules kept, ${failed.length} broken; ${ids} ids of the protocol and the promises`;
  return [...lines, ...problems, totals].join('\n');
}
