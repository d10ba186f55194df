import type { Bench } from '../../support/bench.ts';
import { msBetween } from '../../support/log.ts';
import { textOf } from '../../support/program/in-words.ts';
import type { RawClient } from '../../support/raw-client.ts';
import { seeded } from '../../support/seeded.ts';
import { sleep, within } from '../../support/waiting.ts';
import type { Owner } from './owner.ts';

const APART_MS_MAX = 5;
const SETTLED_MS_MAX = 2_000;
const CLOSE_CODE_MIN = 4_000;

/** Copies of one client that say the same; a client that dials twice; the same, and the later dial arrives first. */
const KINDS = ['same', 'rising', 'falling'] as const;
type Kind = (typeof KINDS)[number];

/** Two sockets resume the session within 5 ms, while a third one speaks for it still. */
export async function twins(bench: Bench, owner: Owner, rounds: number): Promise<void> {
  const outcomes: Outcome[] = [];
  for (let round = 0; round < rounds; round += 1)
    outcomes.push(await twinsMeet(owner, KINDS[round % KINDS.length] ?? 'same', APART_MS_MAX * seeded(round)));
  measure(bench, outcomes);
}

interface Outcome {
  readonly kind: Kind;
  readonly apartMs: number;
  readonly live: number;
  /** What those were told that do not speak for the session any more: code and close code. */
  readonly told: readonly { readonly code: string; readonly closeCode: number }[];
  /** Of each renewal that was asked for on both. */
  readonly acks: readonly number[];
}

async function twinsMeet(owner: Owner, kind: Kind, apartMs: number): Promise<Outcome> {
  const before = owner.live;
  const { dial, frame } = owner.nextRound();
  const [first, second] = [await owner.open(), await owner.open()];
  const [early, late] = [{ dial, frame }, kind === 'same' ? { dial, frame } : { dial: dial + 1, frame: frame + 1 }];
  const requests = [owner.nextRenewal(), owner.nextRenewal()];
  const say = (socket: RawClient, numbers: typeof early): bigint => {
    const at = process.hrtime.bigint();
    owner.hello(socket, numbers);
    // Copies say everything twice, so the renewal too, with the same number.
    if (kind === 'same') owner.renew(socket, requests[0] ?? '');
    return at;
  };
  const firstAt = say(first, kind === 'falling' ? late : early);
  if (apartMs > 1) await sleep(apartMs - 1);
  const secondAt = say(second, kind === 'falling' ? early : late);

  const sockets = [first, second];
  await within(Promise.race(sockets.map(({ closed }) => closed)), SETTLED_MS_MAX, 'one of two sockets is closed').catch(
    () => undefined,
  );
  // The next period: whoever believes to be the session's socket renews.
  for (const socket of sockets) {
    socket.countFrom(frame + 10);
    owner.renew(socket, requests[1] ?? '');
  }
  await Promise.any(sockets.map((socket) => answered(socket, requests[1] ?? ''))).catch(() => undefined);
  const states = await Promise.all(sockets.map(stateOf));
  const living = sockets.filter((_, index) => states[index] === null);
  owner.live = living[0] ?? before;
  return {
    kind,
    apartMs: msBetween(firstAt, secondAt),
    live: living.length,
    told: [...states, await stateOf(before)].filter((state) => state !== null),
    acks: (kind === 'same' ? requests : requests.slice(1)).map((request) => acksOf(sockets, request)),
  };
}

const acksOf = (sockets: readonly RawClient[], wanted: string): number =>
  sockets.flatMap(({ received }) => received.filter(({ message }) => message['request'] === wanted)).length;

async function answered(socket: RawClient, request: string): Promise<void> {
  let message = await socket.take('renewed', 1_000);
  while (message['request'] !== request) message = await socket.take('renewed', 1_000);
}

/** Null while it lives: a close that is due has come by the time its peer was answered. */
async function stateOf(socket: RawClient): Promise<Outcome['told'][number] | null> {
  const closed = await Promise.race([socket.closed, sleep(20).then(() => null)]);
  if (closed === null) return null;
  const error = socket.received.findLast(({ message }) => message['type'] === 'error');
  return { code: textOf(error?.message['code'] ?? ''), closeCode: closed.code };
}

function measure(bench: Bench, outcomes: readonly Outcome[]): void {
  const rounds = outcomes.length;
  const apart = Math.max(...outcomes.map(({ apartMs }) => apartMs));
  const within5 = outcomes.filter(({ apartMs }) => apartMs <= APART_MS_MAX).length;
  bench.measure(
    `two sockets resumed within ${APART_MS_MAX} ms`,
    `${within5} of ${rounds} rounds, ${apart.toFixed(1)} ms at most`,
    'nearly every round',
    within5 >= 0.9 * rounds,
  );
  const one = outcomes.filter(({ live }) => live === 1).length;
  bench.measure('exactly one of them is live', `${one} of ${rounds} rounds`, 'every round', one === rounds);
  const told = outcomes.flatMap((outcome) => outcome.told);
  const kinds = new Set(told.map(({ code, closeCode }) => `${code} (${closeCode})`));
  const typed = told.filter(({ code, closeCode }) => code !== '' && closeCode >= CLOSE_CODE_MIN).length;
  bench.measure(
    'the other one, and the one before them, was told',
    `${typed} of ${2 * rounds}: ${[...kinds].join(', ')}`,
    'a code and a close code each',
    typed === 2 * rounds,
  );
  const acks = outcomes.flatMap((outcome) => outcome.acks);
  bench.measure(
    `answers to one renewal asked for on both sockets, ${acks.length} renewals`,
    `${Math.min(...acks)} to ${Math.max(...acks)}`,
    'exactly 1',
    acks.every((count) => count === 1),
  );
}
