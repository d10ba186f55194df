/** Exit codes of the command (sysexits.h, and 128 + n for a signal n). */
export const EXIT = {
  ok: 0,
  /** It could not start: the port or the data file. */
  failed: 1,
  usage: 64,
  /** A defect. */
  internal: 70,
} as const;
