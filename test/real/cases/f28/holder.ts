import { connect, isLeaseError, type Lease } from 'leasehold';
import { say } from '../../support/script.ts';
import { sleep } from '../../support/waiting.ts';

const WRITE_EVERY_MS = 20;

/**
 * Ends at SIGTERM as programs do: `closes` closes its client in the handler; `aborts` aborts a signal of its own, which
 * its `run` was given too, and closes when the section is through. The section needs `moreMs` from the signal on.
 */
const [, , url = '', name = '', ttl = '', moreMs = '', way = ''] = process.argv;
const client = connect(url, { ttlMs: Number(ttl), maxBackoffMs: 500 });
const stopping = new AbortController();
process.once('SIGTERM', () => {
  say('signal');
  stopping.abort();
  if (way === 'closes') void client.close();
});

async function section(lease: Lease): Promise<void> {
  say('begins', { token: lease.fencingToken });
  let endsAt = Infinity;
  stopping.signal.addEventListener('abort', () => (endsAt = performance.now() + Number(moreMs)));
  while (performance.now() < endsAt) {
    // The check before each write that every section needs whose lease may be over.
    if (lease.status !== 'held') break;
    say('wrote', { token: lease.fencingToken });
    await sleep(WRITE_EVERY_MS);
  }
  say('section-ends', { status: lease.status });
}

try {
  await client.run(name, { signal: stopping.signal }, section);
  say('ran', { code: null });
} catch (error) {
  say('ran', { code: isLeaseError(error) ? error.code : String(error) });
}
await client.close();
say('closed');
