import type { Finder } from '../checkers/all.ts';
import type { Patch } from './patch.ts';

/** One bug, planted in the text of the product's own modules before they are played; the product has no switch for it. */
export interface Mutant {
  readonly name: string;
  /** What is wrong, as one would say it of a design. */
  readonly bug: string;
  /** Rules that forbid it. */
  readonly rules: string;
  readonly patches: readonly Patch[];
  /** Which checker finds it, and within how many seeds. */
  readonly by: Finder;
  readonly within: number;
}
