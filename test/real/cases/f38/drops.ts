import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect } from 'leasehold';
import { say } from '../../support/script.ts';
import { untilWaitedFor } from '../f30/until-waited-for.ts';

/**
 * Acquires and keeps nothing, where a program that goes on would release; memory is collected as it is in a program
 * that makes garbage. The other leases are kept: by their handle, by one method of it, by a listener, by a signal.
 */
const [, , url = '', name = '', ttl = '', ceiling = ''] = process.argv;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // What the flag puts there.
const client = connect(url);
client.on('warning', ({ code, message }) => say('warned', { code, message }));

async function drop(): Promise<void> {
  await client.acquire(name, { ttlMs: Number(ttl), maxLifetimeMs: Number(ceiling) });
  say('dropped');
}

const handle = await client.acquire(`${name}-handle`);
const { release } = await client.acquire(`${name}-method`);
(await client.acquire(`${name}-listener`)).on('lost', ({ code }) => say('lost', { code }));
const { signal } = await client.acquire(`${name}-signal`);
await drop();
await untilWaitedFor(client, name);
const collecting = setInterval(collect, 100);
await new Promise((resolve) => setTimeout(resolve, Number(ceiling)));
clearInterval(collecting);
say('kept', { handle: handle.status, signal: signal.aborted, released: await release() });
await client.close();
