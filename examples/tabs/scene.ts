import type { Counter } from './counter.ts';

/** Whoever leads. */
export interface Leader {
  readonly label: string;
  readonly token: number;
  readonly heldForMs: number;
  /** Until this tab stops believing, where it leads; else until the lease ends. */
  readonly leftMs: number;
  /** How much of the window is left, from 0 to 1: until the lease ends, in every tab. */
  readonly filled: number;
}

/** What is to be seen at one moment. */
export interface Scene {
  readonly me: string;
  /** What this tab is, as far as it knows. */
  readonly part: 'leads' | 'follows' | 'nobody' | 'unknown';
  readonly isAtRisk: boolean;
  /** Null where nobody is known to lead. */
  readonly leader: Leader | null;
  readonly queue: number | null;
  readonly position: number | null;
  readonly counter: Counter | null;
  readonly writtenUnder: number | null;
  readonly connection: string;
  readonly isCut: boolean;
}
