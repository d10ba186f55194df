/**
 * What waits for the disk, beside as much that is on its way to it: bounded, however slow the disk is and whatever a
 * client sends meanwhile (S11). Counted are the requests that have to be stored, since the last batch was taken.
 */
export interface Backlog {
  readonly commands: number;
  readonly bytes: number;
}

export const NO_BACKLOG: Backlog = { commands: 0, bytes: 0 };
export const BACKLOG_MAX: Backlog = { commands: 100_000, bytes: 64 * 1_048_576 };

/** The backlog with one more request, or null where there is no room for it. */
export function withOneMore({ commands, bytes }: Backlog, moreBytes: number): Backlog | null {
  const more = { commands: commands + 1, bytes: bytes + moreBytes };
  return more.commands > BACKLOG_MAX.commands || more.bytes > BACKLOG_MAX.bytes ? null : more;
}
