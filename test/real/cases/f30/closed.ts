import { connect } from 'leasehold';
import { say, name, url } from './say.ts';
import { untilWaitedFor } from './until-waited-for.ts';

/** (b) Acquires and closes, without a release; closes again, before the end of the first and after it. */
const client = connect(url);
await client.acquire(name, { ttlMs: 3_000 });
await untilWaitedFor(client, name);
say('ends');
const [first, second] = [client.close(), client.close()];
await first;
say('closed', { same: first === second && first === client.close() });
