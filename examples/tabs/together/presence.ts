import { fieldIn, numberIn, textIn } from './happenings.ts';

const PARTS = ['leads', 'follows', 'nobody', 'unknown'] as const;

/** A sign of life: what one tab is at the moment, said about once a second. */
export type Presence = {
  readonly tab: string;
  readonly label: string;
  readonly part: (typeof PARTS)[number];
  /** How many wait before it. */
  readonly position: number | null;
  readonly isInSight: boolean;
  readonly atMs: number;
};

/** A tab that runs says something each second, also a hidden one: each second it is told of the counter. */
export const SILENT_AFTER_MS = 3_000;

export function presenceOf(value: unknown): Presence | null {
  const tab = textIn(value, 'tab');
  const label = textIn(value, 'label');
  const part = PARTS.find((one) => one === textIn(value, 'part'));
  const atMs = numberIn(value, 'atMs');
  if (tab === null || label === null || part === undefined || atMs === null) return null;
  const isInSight = fieldIn(value, 'isInSight') === true;
  return { tab, label, part, position: numberIn(value, 'position'), isInSight, atMs };
}
