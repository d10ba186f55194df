/**
 * A worker that wants to be the only one: `npx node examples/worker.ts A`, and in another terminal the same with B.
 * End the one that holds, or kill it (it prints how), and see the other take over. It needs a coordinator: `npm start`.
 */
import { connect } from 'leasehold';
import { placeOf, tellOf } from './job/connection.ts';

const [, , label = 'worker', url = 'ws://127.0.0.1:7400'] = process.argv;
const client = connect(url, { label, ttlMs: 3_000 });
const began = performance.now();
const say = (text: string): void =>
  console.log(`${((performance.now() - began) / 1_000).toFixed(1)} s  ${label} ${text}`);

tellOf(client, url, say);
process.once('SIGINT', () => void client.close());

await client
  .run('nightly-report', { onQueued: (info) => say(placeOf(info)) }, async (lease) => {
    say(`holds ${lease.name} under token ${lease.fencingToken}; to end it without a word: kill -9 ${process.pid}`);
    lease.on('renewed', () => say('was renewed'));
    // The work would be here, and would send lease.fencingToken with every write.
    await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
  })
  .catch((error: unknown) => say(`lost it: ${String(error)}`));
