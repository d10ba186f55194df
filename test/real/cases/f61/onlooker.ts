import type { Coordinating } from '../../support/coordinating.ts';
import { msBetween, now } from '../../support/log.ts';
import { RawClient } from '../../support/raw-client.ts';
import { within } from '../../support/waiting.ts';

interface Seen {
  /** When the last question was asked that `/readyz` still answered with "ready", since the signal; 0: none was. */
  readonly readyMs: number;
  /** How it went with one that came when readiness was off. */
  readonly late: string;
}

/** Asks for readiness until it is off, then comes as a client that knows nothing. */
export async function onlookAt(coordinator: Coordinating, since: bigint): Promise<Seen> {
  let readyMs = 0;
  for (;;) {
    const askedAt = now();
    if ((await statusOf(coordinator)) !== 200) break;
    readyMs = msBetween(since, askedAt);
  }
  return { readyMs, late: await comeLate(coordinator) };
}

const statusOf = ({ port }: Coordinating): Promise<number> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status,
    () => 0,
  );

async function comeLate({ url }: Coordinating): Promise<string> {
  const raw = await RawClient.open(url).catch(() => null);
  if (raw === null) return 'refused';
  const said: string[] = [];
  raw.listen(({ type }) => said.push(typeof type === 'string' ? type : '?'));
  raw.send({ type: 'hello', protocolMin: 1, protocolMax: 1, instance: `late-${String(now())}`, dial: 1 });
  raw.send({ type: 'acquire', request: 'late', name: 'late', ttlMs: 30_000 });
  const { code } = await within(raw.closed, 10_000, 'one that comes late is closed');
  return [...said, `closed ${code}`].join(', ');
}
