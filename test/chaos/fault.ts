import type { Floor } from './floor.ts';
import type { Tool } from './tools.ts';

/** By what it is broken. Two faults of one group do not come at the same time. */
export type Group = 'coordinator' | 'tracer' | 'disk' | 'clock' | 'process' | 'relay' | 'link';

/** What the plan chose, each in [0, 1). */
export interface Chance {
  readonly victim: number;
  /** For how long, mostly. */
  readonly strength: number;
  /** Which of several ways. */
  readonly way: number;
}

/** One kind of fault. It ends by itself: what was broken is whole again when `play` resolves. */
export interface Fault {
  readonly kind: string;
  readonly group: Group;
  readonly needs: readonly Tool[];
  /** So often while each of the others comes once. */
  readonly times?: number;
  /** It shows most while one of these groups has a fault, too. */
  readonly besides?: readonly Group[];
  /** Whom it hits: a process of clients, `coordinator`, `disk`, `clock`. */
  readonly victim: (floor: Floor, chance: Chance) => string | Promise<string>;
  readonly play: (floor: Floor, chance: Chance, victim: string) => Promise<void>;
}
