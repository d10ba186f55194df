import type { Bench } from '../../support/bench.ts';
import type { ClientHandle } from '../../support/client-process.ts';
import { entriesOf, msBetween, now, type Entry } from '../../support/log.ts';
import { RawClient } from '../../support/raw-client.ts';
import { heldBy, SLACK_MS, stand, STOP_MARGIN_MS, TTL_MS, type Place } from './place.ts';

const NAME = 'wedged';
const WARNED_PART = 0.8;
const DEFAULT_MS = 86_400_000;
/** What is left is rounded down in an answer, and a client counts from just before it writes its frame: it may stop so much earlier. */
const EARLY_MS = 10;

/** Work that awaits for ever is warned, aborted and out at the longest total life that its lease was given. */
export async function atItsMaximum(place: Place): Promise<void> {
  const { bench, coordinator, maxLifetimeMs } = place;
  const holder = bench.process().client('wedged', coordinator.url, { idleMs: 60_000 }, true);
  await holder.ready(30_000);
  const running = holder.run('a', NAME, { ttlMs: TTL_MS, maxLifetimeMs });
  await heldBy(bench, holder, 5_000);
  const waiter = await stand(place, NAME);
  const settled = await running;
  await heldBy(bench, waiter, 2_000 + STOP_MARGIN_MS);
  measure(bench, holder, waiter, maxLifetimeMs);
  bench.measure(
    'how the guarded call ends',
    settled.ok ? 'resolves' : `rejects ${settled.code}`,
    'rejects with the reason, ceiling',
    !settled.ok && settled.code === 'ceiling',
  );
  await waiter.release('w');
  await unlimited(bench, holder);
}

/** The grant was decided between the sending of its claim and its arrival. */
interface Granted {
  readonly sentAt: bigint;
  readonly toldAt: bigint;
  readonly ceilingLeftMs: number;
}

function grantOf({ log }: Bench, client: string, name: string): Granted {
  const of = (event: 'sent' | 'received', type: string) =>
    entriesOf(log.entries, event, client)
      .flatMap(({ at, messages }) => messages.map((message) => ({ at, message })))
      .find(({ message }) => message['type'] === type && message['name'] === name);
  const [sent, told] = [of('sent', 'acquire'), of('received', 'granted')];
  if (sent === undefined || told === undefined) throw new Error(`${client} was never granted ${name}`);
  return { sentAt: sent.at, toldAt: told.at, ceilingLeftMs: Number(told.message['ceilingLeftMs']) };
}

function measure(bench: Bench, holder: ClientHandle, waiter: ClientHandle, maxMs: number): void {
  const { sentAt, toldAt } = grantOf(bench, holder.label, NAME);
  /** After the grant, whenever exactly that was: at least and at most so much. */
  const after = (entry: Entry | undefined): { readonly least: number; readonly most: number } =>
    entry === undefined
      ? { least: Number.NaN, most: Number.NaN }
      : { least: msBetween(toldAt, entry.at), most: msBetween(sentAt, entry.at) };
  const of = (event: Entry['event']): Entry | undefined =>
    bench.log.entries.find((entry) => entry.event === event && entry.client === holder.label);
  const near = after(of('ceiling-near'));
  const warnMs = WARNED_PART * maxMs;
  bench.measure(
    `the holder is warned, with at most ${maxMs} ms`,
    `after ${near.most.toFixed(0)} ms`,
    `at ${warnMs} ms, at most ${SLACK_MS} ms later`,
    near.most >= warnMs - EARLY_MS && near.least <= warnMs + SLACK_MS,
  );
  for (const [what, event] of [
    ['lost on the client', 'lost'],
    ['the signal of the work is aborted', 'aborted'],
  ] as const) {
    const entry = of(event);
    const { least, most } = after(entry);
    const code = entry !== undefined && 'code' in entry ? entry.code : 'none';
    bench.measure(
      what,
      `${code} after ${most.toFixed(0)} ms`,
      `ceiling, at ${maxMs - STOP_MARGIN_MS} to ${maxMs} ms`,
      code === 'ceiling' && most >= maxMs - STOP_MARGIN_MS - EARLY_MS && least <= maxMs,
    );
  }
  const next = after(entriesOf(bench.log.entries, 'held', waiter.label)[0]);
  // Earlier than it is written: a client that has stopped believing gives the lease back, and need not be waited for.
  bench.measure(
    'the waiter is granted',
    `after ${next.most.toFixed(0)} ms`,
    `once the holder has stopped, by ${maxMs + SLACK_MS} ms`,
    next.most >= maxMs - STOP_MARGIN_MS - EARLY_MS && next.least <= maxMs + SLACK_MS,
  );
}

/** A client that renews for ever and listens to nothing gives nothing back: the name opens at the maximum itself. */
export async function heedless(place: Place): Promise<void> {
  const { bench, coordinator, maxLifetimeMs } = place;
  const name = 'heedless';
  const { client } = await RawClient.welcome(coordinator.url);
  const sentAt = now();
  client.send({ type: 'acquire', request: 'r', name, ttlMs: TTL_MS, maxLifetimeMs });
  const { fencingToken = 0 } = await client.take('granted');
  const toldAt = now();
  const leases = [{ name, fencingToken }];
  const renewing = setInterval(() => client.send({ type: 'renew', request: 'r', leases }), TTL_MS / 4);
  try {
    const held = await heldBy(bench, await stand(place, name), maxLifetimeMs + TTL_MS);
    const [most, least] = [msBetween(sentAt, held.at), msBetween(toldAt, held.at)];
    bench.measure(
      'the waiter behind a holder that renews for ever and gives nothing back',
      `granted after ${most.toFixed(0)} ms`,
      `at ${maxLifetimeMs} ms, at most ${SLACK_MS} ms later`,
      most >= maxLifetimeMs && least <= maxLifetimeMs + SLACK_MS,
    );
    const last = client.received.filter(({ message }) => message['type'] === 'ended').at(-1)?.message;
    bench.measure('what that holder was told', JSON.stringify(last), 'ended: ceiling', last?.['code'] === 'ceiling');
  } finally {
    clearInterval(renewing);
    client.send({ type: 'bye', keepMs: 0 });
    client.close();
  }
}

/** What docs/PROTOCOL.md says where nothing is asked: one day. */
async function unlimited(bench: Bench, holder: ClientHandle): Promise<void> {
  const name = 'unlimited';
  await holder.acquire('u', name, { ttlMs: TTL_MS });
  const { ceilingLeftMs } = grantOf(bench, holder.label, name);
  bench.measure(
    'longest total life where none is asked',
    `${ceilingLeftMs} ms`,
    `the documented default, ${DEFAULT_MS} ms`,
    ceilingLeftMs >= DEFAULT_MS && ceilingLeftMs < DEFAULT_MS + 1_000,
  );
  await holder.release('u');
}
