import { setTimeout as later } from 'node:timers/promises';
import { connect, type Lease } from 'leasehold';
import { say } from '../../support/script.ts';
import { untilWaitedFor } from '../f30/until-waited-for.ts';

/** A section that fails half a second after somebody else has come to wait: it throws, or an abort rejects it. */
const [, , url = '', name = '', how = ''] = process.argv;
const client = connect(url);
const thrown = new Error('the section failed');
const controller = new AbortController();

async function section(lease: Lease): Promise<void> {
  await untilWaitedFor(client, lease.name);
  if (how === 'abort') {
    setTimeout(() => {
      say('fails');
      controller.abort(thrown);
    }, 500);
    // What waits on the signal rejects with the signal's reason, as `fetch` does.
    await new Promise((_, reject) => controller.signal.addEventListener('abort', () => reject(thrown)));
  }
  await later(500);
  say('fails');
  throw thrown;
}

const ended = await client.run(name, { ttlMs: 3_000 }, section).catch((error: unknown) => error);
say('rejected', { same: ended === thrown, cause: thrown.cause === undefined ? 'none' : 'one' });
// What frees the lease is the end of the section, not that of the client.
await later(1_000);
await client.close();
