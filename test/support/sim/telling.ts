import type { Happened } from './history.ts';
import type { Plan } from './plan.ts';
import { play } from './simulation.ts';

/** What happened in a plan, in the order of time, a line each. */
export function tellingOf(plan: Plan): readonly string[] {
  const { history, problems } = play(plan);
  const { seed, workload, clients, names, faultyMs, calmMs } = plan;
  const lines = [
    ...history.lines.map((line) => ({ at: Number.parseFloat(line), text: line.slice(line.indexOf(' ') + 1) })),
    ...history.events.map((event) => ({ at: 'at' in event ? event.at : event.from, text: inWords(event) })),
  ];
  return [
    `seed ${seed}: ${workload}, ${clients} clients, ${names} names, ${faultyMs} ms of faults, then ${calmMs} without`,
    ...lines.toSorted((a, b) => a.at - b.at).map(({ at, text }) => `${at.toFixed(3).padStart(11)}  ${text}`),
    ...problems.map(({ by, text }) => `FOUND by ${by}: ${text}`),
    problems.length === 0 ? 'no violation' : `${problems.length} violations`,
  ];
}

function inWords(event: Happened): string {
  if (event.kind === 'believed')
    return `${event.client} believes in ${event.token} of ${event.name} until ${event.to.toFixed(3)}`;
  const { kind, at: _, ...others } = event;
  const said = Object.entries(others).map(([name, value]) => `${name} ${String(value)}`);
  return [kind, ...said].join(' ');
}
