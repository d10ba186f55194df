/** The client of this repository under the second half of the conformance suite: prints what it believes. */
import { createInterface } from 'node:readline';
import { connect, isLeaseError } from 'leasehold';

const { LEASEHOLD_URL: url = '', LEASEHOLD_NAME: name = '', LEASEHOLD_TTL_MS: ttl = '' } = process.env;
const client = connect(url, { label: 'conformance', ttlMs: Number(ttl) });
const orders = createInterface(process.stdin)[Symbol.asyncIterator]();
const say = (word: string, token: number): void => {
  process.stdout.write(`${word} ${name} ${token}\n`);
};

/** `release` comes as a line; the end of the input is one too. */
const released = orders.next();
for (;;) {
  const lease = await client.acquire(name);
  const { fencingToken: token } = lease;
  say('held', token);
  const lost = new Promise<'lost'>((resolve) => {
    lease.signal.addEventListener('abort', () => resolve('lost'), { once: true });
  });
  lease.signal.addEventListener('abort', () => {
    if (isLeaseError(lease.signal.reason) && lease.signal.reason.code !== 'released') say('lost', token);
  });
  if ((await Promise.race([lost, released])) === 'lost') continue;
  const answered = lease.release();
  say('released', token);
  await answered;
  break;
}
