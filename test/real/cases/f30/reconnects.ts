import { connect, isLeaseError } from 'leasehold';
import { say, name, url } from './say.ts';

/** (d) Closes while it reconnects, with a lease held if so told, and a promise of each kind pending. */
const client = connect(url, { maxBackoffMs: 500 });
const leases = process.argv[4] === 'holds' ? [await client.acquire(`${name}/kept`)] : [];
await client.ready();
const lostIt = new Promise<void>((resolve) => {
  client.on('status', ({ status }) => {
    if (status === 'backing-off') resolve();
  });
});
const pending: Record<string, Promise<unknown>> = { acquire: client.acquire(name) };
say('waits');
await lostIt;
const views = client.watch(name);
const names = client.list();
const election = client.elect(`${name}/led`);
Object.assign(pending, {
  watch: views.next(),
  list: names.next(),
  run: client.run(name, () => undefined),
  once: client.once(name, { slot: 'one' }, () => undefined),
  tryAcquire: client.tryAcquire(name),
  inspect: client.inspect(name),
  ready: client.ready(),
});
for (const lease of leases) Object.assign(pending, { setState: lease.setState(1), renew: lease.renew() });
say('ends');
const closed = client.close();
for (const [what, promise] of Object.entries(pending)) {
  promise.then(
    () => say('settles', { promise: what, as: 'resolved' }),
    (error: unknown) => say('settles', { promise: what, as: isLeaseError(error) ? error.code : String(error) }),
  );
}
await closed;
say('closed', { promises: Object.keys(pending).length, election: election.status });
