/**
 * Which cells of the state tables (test/tables) this thread has visited. The product knows nothing of it: recording.ts
 * puts the calls in while the simulation is bundled, and nothing here changes what is played.
 */
export type TableName = 'claim' | 'connection' | 'lease' | 'election' | 'session' | 'name';

export const cellOf = (table: TableName, state: string, event: string): string => `${table}: ${state} meets ${event}`;

/** By table, state and event: it is asked far too often to make a text each time. */
let visited = new Map<TableName, Map<string, Set<string>>>();

export function visit(table: TableName, state: string, event: string): void {
  let states = visited.get(table);
  if (states === undefined) visited.set(table, (states = new Map<string, Set<string>>()));
  let events = states.get(state);
  if (events === undefined) states.set(state, (events = new Set<string>()));
  events.add(event);
}

/** All since the last time that it was asked. */
export function takeVisited(): ReadonlySet<string> {
  const taken = [...visited].flatMap(([table, states]) =>
    [...states].flatMap(([state, events]) => [...events].map((event) => cellOf(table, state, event))),
  );
  visited = new Map();
  return new Set(taken);
}
