import { plague } from './faults.ts';
import { randomFrom } from './random.ts';
import { broken, HEALED_MS, RESTED_MS, stageFor, type Simulated } from './simulation.ts';
import { SimulatedCandidate, type ElectionMood } from './candidate.ts';

/** The longest pause after setbacks. */
const PACED_MS = 30_000;

export interface SimulatedElections extends Simulated {
  readonly counts: SimulatedCandidate['counts'];
}

/** One seed: faults first, then none, then rest: one leads by then, and everybody knows which. */
export function simulateElections(seed: number, faultyMs = 14_000, calmMs = 45_000): SimulatedElections {
  const random = randomFrom(seed);
  const stage = stageFor(random, 'none');
  const { world, history, clients } = stage;
  const mood: ElectionMood = { calm: false, atRest: false, hasty: true };
  const candidates = clients.map((client) => new SimulatedCandidate(client, stage, random.fork(), mood));
  plague(stage, random.fork(), faultyMs);
  world.runUntil(faultyMs);
  mood.hasty = false;
  // A pause after setbacks is over by then as well.
  world.runUntil(faultyMs + HEALED_MS + PACED_MS);
  mood.calm = true;
  world.runUntil(world.now + calmMs);
  mood.atRest = true;
  world.runUntil(world.now + RESTED_MS);
  const leaders = candidates.filter(({ isLeading }) => isLeading);
  const many = leaders.length === 1 ? [] : [`${leaders.length} lead at rest`];
  const wrong = candidates.flatMap((candidate) => candidate.problems(candidate === leaders[0]));
  for (const client of clients) client.finish();
  const counts = { elected: 0, deposed: 0, stopped: 0, leaders: 0, paused: 0 };
  for (const candidate of candidates) {
    counts.elected += candidate.counts.elected;
    counts.deposed += candidate.counts.deposed;
    counts.stopped += candidate.counts.stopped;
    counts.leaders += candidate.counts.leaders;
    counts.paused += candidate.counts.paused;
  }
  return { history, problems: [...broken(stage), ...many, ...wrong], steps: world.steps, counts };
}
