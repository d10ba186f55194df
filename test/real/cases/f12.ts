import type { Bench } from '../support/bench.ts';
import type { ClientHandle } from '../support/client-process.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { entriesOf } from '../support/log.ts';
import { sleep } from '../support/waiting.ts';
import { othersTokens } from './f12/others-tokens.ts';

const TTL_MS = 3_000;
/** Longer than the holder's renewal takes, so that a holder that lost it to its namesake would have been told. */
const OBSERVED_MS = 2_500;

/** The part of one user token for both clients needs an authenticating coordinator. */
export const F12: FieldCase = {
  id: 'F12',
  title:
    'S1 S3 ownership goes by session and token: a label, or a name that begins like another, gives nobody anything',
  async run(bench) {
    const coordinator = await bench.coordinator();
    await Promise.all([
      contend(bench, coordinator, ['worker', 'worker']),
      contend(bench, coordinator, ['n1', 'n10']),
      contend(bench, coordinator, ['n10', 'n1']),
    ]);
    await othersTokens(bench, coordinator);
  },
};

/** Two processes whose clients show those labels. */
async function contend(
  bench: Bench,
  coordinator: CoordinatorProcess,
  [holds, waits]: readonly [string, string],
): Promise<void> {
  const name = `of ${holds} and ${waits}`;
  const [holder, waiter] = [
    bench.process().client(`${holds} first, ${name}`, coordinator.url, { label: holds, idleMs: 60_000 }),
    bench.process().client(`${waits} second, ${name}`, coordinator.url, { label: waits, idleMs: 60_000 }),
  ];
  const granted = await holder.acquire('a', name, { ttlMs: TTL_MS });
  const waiting = waiter.acquire('b', name, { ttlMs: TTL_MS });
  await bench.log.find('queued', ({ client }) => client === waiter.label, 5_000, 'the second one stands in the queue');
  await sleep(OBSERVED_MS);
  const [state, shown] = [await statusOf(holder), await labelOf(waiter, name)];
  const early = entriesOf(bench.log.entries, 'held', waiter.label).length;
  bench.measure(
    `"${holds}" holds and "${waits}" wants it, ${OBSERVED_MS} ms long`,
    `the first is ${state}, the second ${early === 0 ? 'waits' : 'holds it too'}; shown as holder: ${shown}`,
    'one holds, the other waits, and the label is only shown',
    state === 'held' && early === 0 && shown === holds,
  );
  await holder.release('a');
  const next = await waiting;
  const tokens = [granted, next].map((settled) => (settled.ok ? Number(settled.value) : Number.NaN));
  bench.measure(
    `"${waits}" after the release`,
    `token ${tokens.join(', then ')}`,
    'a grant of its own',
    Number(tokens[1]) > Number(tokens[0]),
  );
  await waiter.release('b');
}

const statusOf = async (client: ClientHandle): Promise<string> => (await client.read('a')).status;

async function labelOf(client: ClientHandle, name: string): Promise<string> {
  const seen = await client.inspect(name);
  if (!seen.ok) return seen.code;
  const { holders = [] } = seen.value as { readonly holders?: readonly { readonly label?: string }[] }; // A LeaseView as JSON.
  return holders.map(({ label }) => label ?? 'nobody').join(', ');
}
