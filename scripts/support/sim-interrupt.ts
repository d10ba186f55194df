import { removeBundles } from '../../test/support/sim/pool.ts';

/** What a shell says of a process that SIGINT ended. */
const INTERRUPTED = 130;

/** At Ctrl-C says what was done, leaves no bundle behind, and ends. Returns what takes that back. */
export function onInterrupt(say: () => void): () => void {
  const end = (): void => {
    removeBundles();
    say();
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', end);
  return () => void process.off('SIGINT', end);
}
