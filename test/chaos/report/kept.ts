import { msBetween } from '../../real/support/log.ts';
import type { ChaosRun, Verdict } from '../run.ts';

/** `run.json`: all but the log. Instants are milliseconds since the start of the run. */
export function keptOf(run: ChaosRun, { violations, counts }: Verdict): string {
  const { seed, command, commit, date, machine, leftOut, clients, names, from, to } = run;
  const since = (at: bigint): number => Math.round(msBetween(from, at) * 1e3) / 1e3;
  const faults = run.faults.map((span) => ({
    kind: span.kind,
    victim: span.victim,
    fromMs: since(span.from),
    toMs: since(span.to),
  }));
  const head = { seed, command, commit, date, machine, leftOut, lastMs: since(to), entries: run.entries.length };
  // A line for each fault: an hour has a thousand of them.
  const lines = faults.map((fault) => `    ${JSON.stringify(fault)}`).join(',\n');
  const rest = JSON.stringify({ ...head, clients, names, violations, counts }, null, 2);
  return `${rest.slice(0, -2)},\n  "faults": [${lines === '' ? '' : `\n${lines}\n  `}]\n}\n`;
}
