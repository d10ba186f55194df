import { connect } from 'leasehold';
import { say } from '../../support/script.ts';
import { sleep } from '../../support/waiting.ts';
import { lookAt, releaseTwice } from './elsewhere.ts';

/** Keeps the handle that `acquire` gave, through renewals by itself and by hand, and never takes another. */
const [, , url = '', name = '', ttl = '', renewals = '', byHand = ''] = process.argv;
const client = connect(url);
const lease = await client.acquire(name, { ttlMs: Number(ttl) });
let renewed = 0;
lease.on('renewed', () => {
  renewed += 1;
  lookAt(lease, 'renewed');
});
lookAt(lease, 'granted');
for (let asked = 0; asked < Number(byHand); asked += 1) {
  await sleep(Number(ttl) / 4);
  say('by-hand', { remainingMs: await lease.renew() });
}
while (renewed < Number(renewals)) {
  await sleep(Number(ttl) / 8);
  lookAt(lease, 'looked');
}
await releaseTwice(lease);
lookAt(lease, 'over');
await client.close();
