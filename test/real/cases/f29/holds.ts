import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect, type Lease } from 'leasehold';
import { say } from '../../support/script.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // What V8 calls so since the flag above.

/**
 * Holds, waits, watches and stands for election with no handler of an error anywhere and nothing awaited but the
 * grant and the views, and looks at what its client says of itself each time it is asked. It hears no events unless told so.
 */
const [, , url = '', name = '', hears = ''] = process.argv;
const client = connect(url, { ttlMs: 3_000, maxBackoffMs: 500 });
if (hears === 'hears') {
  client.on('status', ({ status, error }) => say('status', { status, code: error?.code ?? null }));
  client.on('warning', ({ code }) => say('warning', { code }));
}
let lease: Lease | null = null;
void (async () => {
  const granted = await client.acquire(name);
  lease = granted;
  if (hears === 'hears') granted.on('lost', ({ code }) => say('lost', { code }));
  say('holds');
})();
void client.acquire('busy');
void client.acquire('limited', { waitMs: 2_000 });
void client.elect('busy');
void (async () => {
  for await (const view of client.watch(name)) void view;
})();
setInterval(() => {
  // Nobody awaits these either, in every state of the client.
  void client.tryAcquire('busy');
  void client.inspect(name);
  void lease?.setState(1);
  void lease?.renew();
}, 250);
process.stdin.on('data', () => {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  say('look', {
    status: client.status,
    code: client.getSnapshot().error?.code ?? null,
    lease: lease?.status ?? 'none',
    heapUsed,
    rss,
  });
});
