import { inspect } from 'node:util';
import { connect, isLeaseError, type Client } from 'leasehold';
import { say } from '../../support/script.ts';

/** A script: gives every duration of the client's API what is none, and says how that went. */
const [, , url = ''] = process.argv;
const ODD: readonly unknown[] = [
  0,
  -1,
  0.5,
  1.5,
  1500.7,
  '30',
  '30s',
  Number.NaN,
  null,
  true,
  1e12,
  2 ** 31,
  2 ** 53,
  Infinity,
  -Infinity,
  30n,
  '',
  [],
  [3_000],
  new Date(),
];

const DAY_MS = 86_400_000;
const NAME = 'odd';

type Call = (client: Client, options: never) => unknown;

const acquire: Call = (client, options) => client.acquire(NAME, options);
/** `never`: what TypeScript would refuse is what is tried. */
const DURATIONS: readonly (readonly [what: string, param: string, min: number, max: number, call: Call])[] = [
  ['acquire', 'ttlMs', 1_000, DAY_MS, acquire],
  ['acquire', 'waitMs', 0, DAY_MS, acquire],
  ['acquire', 'maxLifetimeMs', 250, 30 * DAY_MS, acquire],
  ['acquire', 'minHoldMs', 0, 3_600_000, acquire],
  ['acquire', 'lockDelayMs', 0, 60_000, acquire],
  ['acquire', 'stopMarginMs', 150, 30_000, acquire],
  ['tryAcquire', 'ttlMs', 1_000, DAY_MS, (client, options) => client.tryAcquire(NAME, options)],
  ['run', 'drainMs', 0, DAY_MS, (client, options) => client.run(NAME, options, () => null)],
  ['run', 'waitMs', 0, DAY_MS, (client, options) => client.run(NAME, options, () => null)],
  ['elect', 'ttlMs', 1_000, DAY_MS, (client, options) => client.elect(NAME, options)],
  ['ready', 'timeoutMs', 1, DAY_MS, (client, options) => client.ready(options)],
  ['inspect', 'timeoutMs', 1, DAY_MS, (client, options) => client.inspect(NAME, options)],
  ['list', 'timeoutMs', 1, DAY_MS, (client, options) => client.list(options)],
  ['close', 'drainMs', 0, DAY_MS, (client, options) => client.close(options)],
  ['connect', 'ttlMs', 1_000, DAY_MS, (_, options) => connect(url, options)],
  ['connect', 'connectTimeoutMs', 100, 60_000, (_, options) => connect(url, options)],
  ['connect', 'maxBackoffMs', 100, 300_000, (_, options) => connect(url, options)],
  ['connect', 'idleMs', 0, DAY_MS, (_, options) => connect(url, options)],
];

const isLegal = (value: unknown, min: number, max: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;

async function outcomeOf(call: () => unknown): Promise<Readonly<Record<string, unknown>>> {
  try {
    await call();
    return { code: 'accepted' };
  } catch (error) {
    if (!isLeaseError(error)) return { code: 'no error of the library', message: String(error) };
    const { code, param, message } = error;
    return { code, param, message };
  }
}

const client = connect(url, { label: 'odd', idleMs: 60_000 });
await client.ready({ timeoutMs: 30_000 });
for (const [what, param, min, max, call] of DURATIONS) {
  for (const value of ODD.filter((one) => !isLegal(one, min, max))) {
    const from = performance.now();
    const outcome = await outcomeOf(() => call(client, { [param]: value } as never)); // See above.
    const tookMs = performance.now() - from;
    say('odd', { api: `${what}: ${param}`, field: param, min, max, given: inspect(value), tookMs, outcome });
  }
}

const lease = await client.acquire('absent', { ttlMs: undefined, waitMs: undefined });
const from = performance.now();
const again = await outcomeOf(() => client.acquire('absent', { waitMs: 0 }));
say('legal', { absentMs: lease.ttlMs, oneTry: again, tookMs: performance.now() - from });
await client.close();
say('ends');
