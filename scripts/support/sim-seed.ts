import { planFor } from '../../test/support/sim/plan.ts';
import { play } from '../../test/support/sim/simulation.ts';
import type { Happened } from '../../test/support/sim/history.ts';

/** Plays one seed and prints what happened in it, in the order of time. False where a checker found something. */
export function oneSeed(seed: number): boolean {
  const plan = planFor(seed);
  const { history, problems } = play(plan);
  const { workload, clients, names, faultyMs, calmMs } = plan;
  console.log(
    `seed ${seed}: ${workload}, ${clients} clients, ${names} names, ${faultyMs} ms of faults, then ${calmMs} without`,
  );
  const lines = [
    ...history.lines.map((line) => ({ at: Number.parseFloat(line), text: line.slice(line.indexOf(' ') + 1) })),
    ...history.events.map((event) => ({ at: 'at' in event ? event.at : event.from, text: inWords(event) })),
  ];
  for (const { at, text } of lines.toSorted((a, b) => a.at - b.at))
    console.log(`${at.toFixed(3).padStart(11)}  ${text}`);
  for (const { by, text } of problems) console.log(`FOUND by ${by}: ${text}`);
  console.log(problems.length === 0 ? 'no violation' : `${problems.length} violations`);
  return problems.length === 0;
}

function inWords(event: Happened): string {
  if (event.kind === 'believed')
    return `${event.client} believes in ${event.token} of ${event.name} until ${event.to.toFixed(3)}`;
  const { kind, at: _, ...others } = event;
  const said = Object.entries(others).map(([name, value]) => `${name} ${String(value)}`);
  return [kind, ...said].join(' ');
}
