import type { StatusChange } from 'leasehold';

interface Outage {
  readonly sinceMs: number;
  dials: number;
  /** Writes its line anew; null as long as it is an ordinary first connection. */
  rewrite: ((text: string) => void) | null;
}

/**
 * Tells of a connection in few lines: one for each outage, however often the client dials meanwhile. `log` writes a line
 * and returns what writes that line anew.
 */
export function outagesInto(
  log: (text: string) => (text: string) => void,
  now: () => number = () => performance.now(),
): (change: StatusChange) => void {
  let outage: Outage | null = null;
  let before: StatusChange['status'] = 'idle';

  const dialling = ({ status, error }: StatusChange): void => {
    outage ??= { sinceMs: now(), dials: 0, rewrite: null };
    if (status === 'connecting') outage.dials += 1;
    const text = textOf(outage, now()) + (error === null ? '' : `: ${error.message}`);
    if (outage.rewrite !== null) outage.rewrite(text);
    // The first dial of all is none, nor is one after a time without need of a connection.
    else if (status === 'backing-off' || before === 'open') outage.rewrite = log(text);
  };
  const ended = ({ status, error }: StatusChange): void => {
    if (status !== 'open') log(`connection: ${status}${error === null ? '' : `, ${error.message}`}`);
    else if (outage?.rewrite) outage.rewrite(`${textOf(outage, now())}; connected again`);
    else log('connected');
    outage = null;
  };
  return (change) => {
    if (change.status === 'connecting' || change.status === 'backing-off') dialling(change);
    else ended(change);
    before = change.status;
  };
}

const textOf = ({ sinceMs, dials }: Outage, nowMs: number): string =>
  `no connection for ${((nowMs - sinceMs) / 1_000).toFixed(1)} s, ${dials} ${dials === 1 ? 'dial' : 'dials'}`;
