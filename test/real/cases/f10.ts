import { msBetween, type Messages } from '../support/log.ts';
import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import type { Relay } from '../support/relay.ts';

const TTL_MS = 3_000;
const RESUME_MS_MAX = 100;
const EXPIRY_SLACK_MS = 250;

export const F10: FieldCase = {
  id: 'F10',
  title: 'S10 a grant whose answer was lost is told again to the same session, which never queues behind itself',
  async run(bench, size) {
    const runs = size === 'full' ? 50 : 5;
    const coordinator = await bench.coordinator();
    const relay = await bench.relay(() => coordinator);
    const askers = bench.process();
    const contender = bench.process().client('contender', coordinator.url, { idleMs: 60_000 });
    await contender.ready();
    const outcomes: Outcome[] = [];
    for (let run = 0; run < runs; run += 1) {
      const asker = askers.client(`asker-${run}`, relay.url, { connectTimeoutMs: 1_000, maxBackoffMs: 500 });
      outcomes.push(await lostAnswer(bench, relay, asker, contender, `lost-${run}`));
      await asker.close();
    }
    measureOutcomes(bench, outcomes);
    for (let run = 0; run < (size === 'full' ? 5 : 1); run += 1)
      await neverBack(bench, relay, contender, askers.client(`gone-${run}`, relay.url), `gone-${run}`);
  },
};

interface Outcome {
  readonly afterResumeMs: number;
  readonly sameToken: boolean;
  readonly resumed: boolean;
  readonly grantsSeen: number;
  readonly queuedSeen: number;
}

const tokenIn = (messages: Messages, name: string): number =>
  Number(messages.find((message) => message['type'] === 'granted' && message['name'] === name)?.['fencingToken']);

const isGrantOf =
  (name: string) =>
  (message: Messages[number]): boolean =>
    message['type'] === 'granted' && message['name'] === name;

async function lostAnswer(
  bench: Bench,
  relay: Relay,
  asker: ClientHandle,
  contender: ClientHandle,
  name: string,
): Promise<Outcome> {
  const tokens = new Set<number>();
  let queuedSeen = 0;
  let welcome: { readonly at: bigint; readonly resumed: boolean } | undefined;
  let swallowedAt: bigint | undefined;
  const stop = relay.watch(({ at, direction, messages }) => {
    if (direction === 'up') return;
    for (const message of messages) {
      if (isGrantOf(name)(message)) tokens.add(Number(message['fencingToken']));
      if (message['type'] === 'queued') queuedSeen += 1;
      if (message['type'] === 'welcome' && swallowedAt !== undefined)
        welcome ??= { at, resumed: message['resumed'] === true };
    }
  });
  const swallowed = relay.next('down', isGrantOf(name), ({ at }) => {
    swallowedAt = at;
    return 'swallow';
  });
  const asked = asker.acquire('a', name, { ttlMs: TTL_MS });
  const first = tokenIn((await swallowed).messages, name);
  const contended = contender.acquire(name, name, { ttlMs: TTL_MS });
  relay.reset();
  const settled = await asked;
  const held = await bench.log.find('held', (entry) => entry.client === asker.label, 1_000, 'the asker holds');
  await asker.release('a');
  await contended;
  await contender.release(name);
  stop();
  return {
    afterResumeMs: welcome === undefined ? Number.NaN : msBetween(welcome.at, held.at),
    sameToken: settled.ok && settled.value === first,
    resumed: welcome?.resumed === true,
    grantsSeen: tokens.size,
    queuedSeen,
  };
}

function measureOutcomes(bench: Bench, outcomes: readonly Outcome[]): void {
  const all = (holds: (outcome: Outcome) => boolean): number => outcomes.filter(holds).length;
  const slowest = Math.max(...outcomes.map(({ afterResumeMs }) => afterResumeMs));
  const runs = outcomes.length;
  bench.measure(
    'same session resumed',
    `${all(({ resumed }) => resumed)} of ${runs}`,
    'every run',
    all(({ resumed }) => resumed) === runs,
  );
  bench.measure(
    'same token after resuming',
    `${all(({ sameToken }) => sameToken)} of ${runs}`,
    'every run',
    all(({ sameToken }) => sameToken) === runs,
  );
  bench.measure(
    'resumed to held, slowest',
    `${slowest.toFixed(1)} ms`,
    `at most ${RESUME_MS_MAX} ms`,
    slowest <= RESUME_MS_MAX,
  );
  bench.measure(
    'grants told of one claim',
    `${Math.max(...outcomes.map(({ grantsSeen }) => grantsSeen))}`,
    'one',
    all(({ grantsSeen }) => grantsSeen === 1) === runs,
  );
  bench.measure(
    'times told to stand in the queue',
    `${outcomes.reduce((sum, { queuedSeen }) => sum + queuedSeen, 0)}`,
    '0',
    all(({ queuedSeen }) => queuedSeen === 0) === runs,
  );
}

async function neverBack(
  bench: Bench,
  relay: Relay,
  contender: ClientHandle,
  asker: ClientHandle,
  name: string,
): Promise<void> {
  const swallowed = relay.next('down', isGrantOf(name), () => 'swallow');
  const asked = asker.acquire('a', name, { ttlMs: TTL_MS });
  const { at } = await swallowed;
  const contended = contender.acquire(name, name, { ttlMs: TTL_MS });
  relay.reset();
  relay.blackHole();
  await contended;
  const held = await bench.log.find(
    'held',
    (entry) => entry.client === 'contender' && entry.name === name,
    1_000,
    'the contender holds',
  );
  const called = await bench.log.find(
    'called',
    (entry) => entry.client === asker.label && entry.what === `acquire ${name}`,
    1_000,
    'the claim is in the log',
  );
  const [early, late] = [msBetween(called.at, held.at), msBetween(at, held.at)];
  const ok = early >= TTL_MS && late <= TTL_MS + EXPIRY_SLACK_MS;
  bench.measure(
    'contender after a holder that never returned',
    `${late.toFixed(0)} ms after the grant`,
    `W = ${TTL_MS} ms, at most ${EXPIRY_SLACK_MS} ms later`,
    ok,
  );
  await contender.release(name);
  await asker.close();
  bench.ghosts += 1;
  await asked;
  relay.heal();
}
