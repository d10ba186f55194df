import type { Bench } from '../../support/bench.ts';
import { entriesOf } from '../../support/log.ts';
import { sleep } from '../../support/waiting.ts';
import type { Interpreter } from './interpreter.ts';

const NAME = 'amid the unknown';
const TTL_MS = 3_000;
const EVERY_MS = 400;
/** Counts are told at the 1st, 2nd, 4th, 8th of them; together they last longer than a window. */
const EVENTS = 8;

/** A coordinator that tells of something new, alone in a frame and beside other such messages. */
export async function unknownEvents(bench: Bench, interpreter: Interpreter): Promise<void> {
  const client = bench.process().client('amid events', interpreter.url, {}, true);
  await client.acquire('a', NAME, { ttlMs: TTL_MS });
  for (let told = 0; told < EVENTS; told += 2) {
    interpreter.tell({ type: 'fanfare', request: 'r-1', volume: told });
    await sleep(EVERY_MS);
    interpreter.tell([{ type: 'fanfare' }]);
    await sleep(EVERY_MS);
  }
  const { status } = await client.read('a');
  const answered = entriesOf(bench.log.entries, 'received', client.label).filter(({ messages }) =>
    messages.some(({ type }) => type === 'renewed'),
  ).length;
  bench.measure(
    `${EVENTS} events of a type that the client does not know, over ${(EVENTS * EVERY_MS) / 1_000} s at W = ${TTL_MS / 1_000} s`,
    `the lease is ${status}, ${answered} renewal(s) answered, ${interpreter.dials} dial(s)`,
    'held, renewed, the same connection',
    status === 'held' && answered > 0 && interpreter.dials === 1,
  );
  const warnings = entriesOf(bench.log.entries, 'warning', client.label).map(({ text }) => text);
  bench.measure(
    'the last of its warnings',
    `${warnings.at(-1) ?? 'none'} (of ${warnings.length})`,
    `counts ${EVENTS}, without one for each`,
    warnings.length < EVENTS && (warnings.at(-1) ?? '').includes(`${EVENTS} bad messages`),
  );
  await client.release('a');
  await client.close();
  // Its farewell is on the way: the interpreter ends with the case, and would take it along.
  await interpreter.left();
}
