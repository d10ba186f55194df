import type { RevokeOptions } from 'leasehold-server';
import type { ClientHandle } from '../../support/client-process.ts';
import type { Done } from '../../support/hosted-coordinator.ts';
import { msBetween, now } from '../../support/log.ts';
import { RawClient } from '../../support/raw-client.ts';
import { heldBy, SLACK_MS, stand, TTL_MS, type Place } from './place.ts';

const TOLD_MS_MAX = 100;
const BY = 'alice';

/** An operator ends a lease without a maximum: of a holder that hears of it, and of one that says nothing more. */
export async function brokenByHand(place: Place): Promise<void> {
  for (const options of [{}, { now: true }]) {
    await ofWedged(place, options);
    await ofSilent(place, options);
  }
}

const inWords = ({ now: atOnce = false }: RevokeOptions): string => (atOnce ? 'broken at once' : 'broken');

/** Its work awaits for ever; its client hears and answers. */
async function ofWedged(place: Place, options: RevokeOptions): Promise<void> {
  const { bench, coordinator } = place;
  const how = inWords(options);
  const name = `wedged, ${how}`;
  const holder = bench.process().client(name, coordinator.url, { idleMs: 60_000 });
  const running = holder.run('a', name, { ttlMs: TTL_MS });
  const { token } = await heldBy(bench, holder, 30_000);
  const waiter = await stand(place, name);
  const done = await revoke(place, name, options);
  const lost = await bench.log.find('lost', ({ client }) => client === name, 5_000, 'the holder is told');
  await bench.log.find('aborted', ({ client }) => client === name, 5_000, 'the work is told');
  const toldMs = msBetween(done.calledAt, lost.at);
  bench.measure(
    `${how}: the holder is told`,
    `${lost.code} after ${toldMs.toFixed(1)} ms`,
    `revoked, at most ${TOLD_MS_MAX} ms, and its work aborted`,
    lost.code === 'revoked' && toldMs <= TOLD_MS_MAX,
  );
  await measureNext(place, { waiter, token, done, what: `${how}: the waiter` });
  measureRecord(place, name, token, done);
  await running;
}

/** A session that says nothing more: it acknowledges nothing. */
async function ofSilent(place: Place, options: RevokeOptions): Promise<void> {
  const { bench, coordinator } = place;
  const how = inWords(options);
  const name = `silent, ${how}`;
  const { client: silent } = await RawClient.welcome(coordinator.url);
  silent.send({ type: 'acquire', request: 'r', name, ttlMs: TTL_MS });
  const { fencingToken } = await silent.take('granted');
  const waiter = await stand(place, name);
  // Its window may well be counted from here: a renewal is the last that is heard of it.
  const sentAt = now();
  silent.send({ type: 'renew', request: 'r2', leases: [{ name, fencingToken: fencingToken ?? 0 }] });
  await silent.take('renewed');
  const renewedAt = now();
  const done = await revoke(place, name, options);
  const token = Number(fencingToken);
  if (options.now === true) {
    await measureNext(place, {
      waiter,
      token,
      done,
      what: `${how}, unacknowledged: the waiter`,
    });
  } else {
    const held = await heldBy(bench, waiter, 2 * TTL_MS);
    const [most, least] = [msBetween(sentAt, held.at), msBetween(renewedAt, held.at)];
    bench.measure(
      `${how}, unacknowledged: the waiter is granted`,
      `${most.toFixed(0)} ms after the last renewal, token ${held.token > token ? 'higher' : 'not higher'}`,
      `when the window of ${TTL_MS} ms is over, at most ${SLACK_MS} ms later, token higher`,
      most >= TTL_MS && least <= TTL_MS + SLACK_MS && held.token > token,
    );
    await waiter.release('w');
  }
  silent.send({ type: 'bye', keepMs: 0 });
  silent.close();
}

/** What is opened at once is told to the oracles first, since it gives up S1 for that name. */
function revoke({ bench, coordinator }: Place, name: string, options: RevokeOptions): Promise<Done> {
  if (options.now === true) bench.log.add({ at: now(), client: BY, event: 'forced', name });
  return coordinator.revoke(name, { ...options, by: BY });
}

interface Next {
  readonly waiter: ClientHandle;
  readonly token: number;
  readonly done: Done;
  readonly what: string;
}

async function measureNext({ bench }: Place, { waiter, token, done, what }: Next): Promise<void> {
  const held = await heldBy(bench, waiter, 5_000);
  const ms = msBetween(done.calledAt, held.at);
  bench.measure(
    `${what} is granted`,
    `after ${ms.toFixed(1)} ms, token ${held.token > token ? 'higher' : 'not higher'}`,
    `at most ${SLACK_MS} ms, token higher`,
    ms <= SLACK_MS && held.token > token,
  );
  await waiter.release('w');
}

/** The answer names the token; a line of the log says who, what and when. */
function measureRecord({ bench, coordinator }: Place, name: string, token: number, { calledAt, outcome }: Done): void {
  const line = coordinator.lines.find(({ text }) => text.includes(`"${name}" was revoked`));
  const answered = outcome.ok && JSON.stringify(outcome.value) === JSON.stringify([token]);
  const ms = line === undefined ? Number.NaN : msBetween(calledAt, line.at);
  bench.measure(
    'recorded',
    `${line?.text ?? 'nothing'} (${ms.toFixed(1)} ms after the call)`,
    'who and when, and the token, which the answer names as well',
    answered && line?.text.includes(`by ${BY}`) === true && line.text.includes(String(token)) && ms <= TOLD_MS_MAX,
  );
}
