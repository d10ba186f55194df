/**
 * Which cells of the state tables (test/tables) this thread has visited. The product knows nothing of it: recording.ts
 * puts the calls in while the simulation is bundled, and nothing here changes what is played.
 */
const visited = new Set<string>();

export type TableName = 'claim' | 'connection' | 'lease' | 'election' | 'session' | 'name';

export const cellOf = (table: TableName, state: string, event: string): string => `${table}: ${state} meets ${event}`;

export const visit = (table: TableName, state: string, event: string): void =>
  void visited.add(cellOf(table, state, event));

/** All since the last time that it was asked. */
export function takeVisited(): ReadonlySet<string> {
  const taken = new Set(visited);
  visited.clear();
  return taken;
}
