import { connect } from 'leasehold';
import { say, name, url } from './say.ts';
import { untilWaitedFor } from './until-waited-for.ts';

/** (a) Acquires, releases, closes. */
const client = connect(url);
const lease = await client.acquire(name, { ttlMs: 3_000 });
await untilWaitedFor(client, name);
say('ends');
await lease.release();
await client.close();
say('closed');
