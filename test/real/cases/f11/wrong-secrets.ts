import type { Bench } from '../../support/bench.ts';
import { msBetween, now, quantile } from '../../support/log.ts';
import { RawClient } from '../../support/raw-client.ts';
import { PROTOCOL_VERSION } from '../../../../shared/limits.ts';
import type { Message, Owner } from './owner.ts';

/** Chance alone exceeds that many standard deviations once in 16,000 runs. */
const DEVIATIONS_MAX = 4;

/**
 * The right session with a wrong secret, and a session that does not exist, in alternation. Whether they take the same
 * time is judged by how often the one took longer than the other right beside it: a busy machine disturbs both alike.
 */
export async function wrongSecrets(bench: Bench, owner: Owner, pairs: number): Promise<void> {
  const known = { session: owner.session, secret: 'x'.repeat(32) };
  const unknown = { session: 'x'.repeat(owner.session.length), secret: 'x'.repeat(32) };
  const tries: { readonly wrong: Tried; readonly missing: Tried }[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    // Whichever comes first may find the machine in another state.
    const early = await tried(owner.url, pair % 2 === 0 ? known : unknown);
    const late = await tried(owner.url, pair % 2 === 0 ? unknown : known);
    tries.push(pair % 2 === 0 ? { wrong: early, missing: late } : { wrong: late, missing: early });
  }
  const answers = new Set(tries.flatMap(({ wrong, missing }) => [wrong.answer, missing.answer]));
  bench.measure(
    `answers to ${pairs} wrong secrets and ${pairs} unknown sessions, save their new ids`,
    answers.size === 1 ? 'the same byte by byte: a new session, unknown-session' : [...answers].join(' and '),
    'one and the same: not the session',
    answers.size === 1 && [...answers].every((answer) => answer.includes('unknown-session')),
  );
  const longer = tries.filter(({ wrong, missing }) => wrong.tookMs > missing.tookMs).length;
  const medians = [tries.map(({ wrong }) => wrong.tookMs), tries.map(({ missing }) => missing.tookMs)].map((took) =>
    quantile(took, 0.5).toFixed(3),
  );
  const tolerance = Math.ceil((DEVIATIONS_MAX * Math.sqrt(pairs)) / 2);
  bench.measure(
    'a wrong secret took longer than an unknown session',
    `in ${longer} of ${pairs} pairs (medians ${medians.join(' and ')} ms)`,
    `in half of them +- ${tolerance} (${DEVIATIONS_MAX} standard deviations)`,
    Math.abs(longer - pairs / 2) <= tolerance,
  );
  const renewed = await owner.renewed();
  bench.measure(
    'the session itself, meanwhile',
    owner.lists(renewed['leases']) ? 'renews on its socket' : JSON.stringify(renewed),
    'untouched',
    owner.lists(renewed['leases']),
  );
}

interface Tried {
  /** Without what is new in each. */
  readonly answer: string;
  readonly tookMs: number;
}

async function tried(url: string, resume: Message): Promise<Tried> {
  const socket = await RawClient.open(url);
  const versions = { protocolMin: PROTOCOL_VERSION, protocolMax: PROTOCOL_VERSION };
  const at = now();
  socket.send({ type: 'hello', ...versions, instance: `thief-${String(at)}`, dial: 1, resume });
  const { session, secret, ...answer } = await socket.take('welcome');
  const tookMs = msBetween(at, socket.received[0]?.at ?? at);
  const own = session !== resume['session'] && typeof secret === 'string' && secret !== resume['secret'];
  socket.send({ type: 'bye', keepMs: 0 });
  socket.close();
  await socket.closed;
  return { answer: JSON.stringify({ ...answer, ownSession: own }), tookMs };
}
