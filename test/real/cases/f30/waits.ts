import { connect } from 'leasehold';
import { say, name, url } from './say.ts';

/** (c) Awaits a grant at the top level, and nothing else keeps the process alive. */
const client = connect(url);
say('asks');
await client.acquire(name, { ttlMs: 3_000 });
say('ends');
await client.close();
