import { connect } from 'leasehold';
import { say, name, url } from './say.ts';

/** (e) Drops its client: no close. `holds`: a lease is still held. */
const client = connect(url);
const lease = await client.acquire(name, { ttlMs: 3_000 });
if (process.argv[4] !== 'holds') await lease.release();
say('ends');
