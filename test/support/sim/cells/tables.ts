import { CLAIM_STATES } from '../../../tables/client-claim.states.ts';
import { CONNECTION_STATES } from '../../../tables/client-connection.states.ts';
import { ELECTION_STATES } from '../../../tables/client-election.states.ts';
import { LEASE_STATES } from '../../../tables/client-lease.states.ts';
import { LEASE_STATES as NAME_STATES } from '../../../tables/lease.states.ts';
import { SESSION_STATES } from '../../../tables/session.states.ts';
import { SELDOM, UNREACHABLE } from '../unreachable.ts';
import { cellOf, type TableName } from './visited.ts';

type States = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const TABLES: Readonly<Record<TableName, States>> = {
  claim: CLAIM_STATES,
  connection: CONNECTION_STATES,
  lease: LEASE_STATES,
  election: ELECTION_STATES,
  session: SESSION_STATES,
  name: NAME_STATES,
};

/** Every cell of the state tables, each condition of an event counted with its event. */
export const CELLS: ReadonlyMap<string, readonly string[]> = new Map(
  // The keys of a total record are those of its type.
  (Object.keys(TABLES) as TableName[]).map((table) => [
    table,
    Object.entries(TABLES[table]).flatMap(([state, events]) =>
      Object.keys(events).map((event) => cellOf(table, state, event)),
    ),
  ]),
);

export interface TableCells {
  readonly table: string;
  readonly all: number;
  readonly visited: number;
  readonly reachable: number;
  /** Not visited, and nobody says why. */
  readonly open: readonly string[];
  /** Not visited, and known to need a coincidence. */
  readonly seldom: readonly string[];
}

export interface CellReport {
  readonly tables: readonly TableCells[];
  /** Visited, and said to be unreachable; or no cell of any table. */
  readonly wrong: readonly string[];
}

/** Cells, and why they are not visited. */
type Reasons = ReadonlyMap<string, string>;

/** Holds what a run visited against the tables, and against the cells that are said to be out of its reach. */
export function cellReport(visited: ReadonlySet<string>, reasons: Reasons = UNREACHABLE, rare = SELDOM): CellReport {
  const every = new Set([...CELLS.values()].flat());
  const tables = [...CELLS].map(([table, cells]) => {
    const reachable = cells.filter((cell) => !reasons.has(cell));
    const missed = reachable.filter((cell) => !visited.has(cell));
    return {
      table,
      all: cells.length,
      reachable: reachable.length,
      visited: reachable.length - missed.length,
      open: missed.filter((cell) => !rare.has(cell)),
      seldom: missed.filter((cell) => rare.has(cell)),
    };
  });
  const wrong = [
    ...[...reasons.keys()]
      .filter((cell) => visited.has(cell))
      .map((cell) => `${cell}: visited, and said to be unreachable`),
    ...[...new Set([...visited, ...reasons.keys(), ...rare.keys()])]
      .filter((cell) => !every.has(cell))
      .map((cell) => `${cell}: no such cell`),
  ];
  return { tables, wrong };
}
