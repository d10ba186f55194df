import { parentPort } from 'node:worker_threads';
import { connect } from 'leasehold';
import { untilWaitedFor } from '../f30/until-waited-for.ts';

/** The thread that owns a client, and a lease that it would renew for ever. */
const [, , url = '', name = '', ttl = ''] = process.argv;
const client = connect(url);
const lease = await client.acquire(name, { ttlMs: Number(ttl) });
await untilWaitedFor(client, name);
parentPort?.postMessage('owns');
// It reads on from the handle: this one is not dropped.
setInterval(() => lease.remainingMs, 100);
