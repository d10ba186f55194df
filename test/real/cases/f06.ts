import { fileURLToPath } from 'node:url';
import { LIMITS_DEFAULT } from 'leasehold-server';
import type { Json } from '../../../shared/json.ts';
import { TTL_MS_DEFAULT } from '../../../shared/limits.ts';
import type { Bench } from '../support/bench.ts';
import type { Coordinating } from '../support/coordinating.ts';
import type { FieldCase } from '../support/field-case.ts';
import type { HostedCoordinator } from '../support/hosted-coordinator.ts';
import { msBetween } from '../support/log.ts';
import { Script } from '../support/script.ts';
import { within } from '../support/waiting.ts';
import { namesUnitAndRange, REFUSED_MS_MAX, tally, type Refused } from './f06/refused.ts';
import { legalOnTheWire, oddOnTheWire } from './f06/wire.ts';

/** The coordinator's own maxima, below those of the protocol. */
const MOST = { ttlMs: 5_000, lifetimeMs: 60_000 };

/**
 * Over the socket, in the client's API and in the coordinator's. There is no HTTP yet that takes a duration. Both sizes
 * are the same: it is short as it was written.
 */
export const F06: FieldCase = {
  id: 'F06',
  title:
    'S10 a duration that is none is refused by its name, unit and range, and one over the maximum is cut and said so',
  async run(bench) {
    const coordinator = await bench.hosted({
      ttlMsMax: MOST.ttlMs,
      lifetimeMsDefault: MOST.lifetimeMs,
      lifetimeMsMax: MOST.lifetimeMs,
    });
    await oddOnTheWire(bench, coordinator);
    await legalOnTheWire(bench, coordinator, MOST);
    await oddLimits(bench, coordinator);
    const usual = await bench.coordinator();
    await oddInTheClient(bench, usual);
  },
};

const ODD_LIMITS: readonly Json[] = [0, -1, 0.5, 1.5, 1500.7, '30', '30s', null, true, 1e12, 2 ** 53, '', [], {}];

/** What an operator's program sets while the coordinator runs. */
async function oddLimits(bench: Bench, coordinator: HostedCoordinator): Promise<void> {
  const refusals: Refused[] = [];
  for (const limit of Object.keys(LIMITS_DEFAULT).filter((key) => /Ms(Max|Default)?$/.test(key))) {
    for (const value of ODD_LIMITS) {
      const { outcome, calledAt, at } = await coordinator.configure({ [limit]: value });
      const said = JSON.stringify(outcome);
      refusals.push({
        given: `${limit} ${JSON.stringify(value)}`,
        tookMs: msBetween(calledAt, at),
        right:
          !outcome.ok &&
          outcome.code === 'bad-request' &&
          outcome.param === limit &&
          /\(ms\) from \d+ to \d+/.test(outcome.message) &&
          outcome.message.includes(limit),
        said,
      });
    }
  }
  tally(bench, 'the durations among the limits of a coordinator, by configure()', refusals);
}

/** What `f06/sdk.ts` says of one value. */
interface Tried {
  readonly api: string;
  readonly field: string;
  readonly min: number;
  readonly max: number;
  readonly given: string;
  readonly tookMs: number;
  readonly outcome: { readonly code: string; readonly param?: string; readonly message?: string };
}

/** What it says of durations that are left out, or 0 where that is legal. */
interface Legal {
  readonly absentMs: number;
  readonly tookMs: number;
  readonly oneTry: { readonly code: string };
}

async function oddInTheClient(bench: Bench, coordinator: Coordinating): Promise<void> {
  using script = new Script(fileURLToPath(new URL('./f06/sdk.ts', import.meta.url)), [coordinator.url]);
  const { code } = await within(script.ended, 60_000, 'the script ends');
  if (code !== 0) throw new Error(`the script ended with ${code}: ${script.stderr}`);
  const said = (what: string): readonly unknown[] =>
    script.lines.filter((line) => line.what === what).map(({ fields }) => fields);
  const tried = said('odd') as readonly Tried[]; // Written by that script.
  for (const api of new Set(tried.map((one) => one.api))) {
    const of = tried.filter((one) => one.api === api);
    tally(bench, `client, ${api}`, of.map(refusedBy));
  }
  const [legal] = said('legal') as readonly Legal[]; // As above.
  bench.measure(
    'the window of a lease that was asked for without a duration',
    `${legal?.absentMs} ms`,
    `${TTL_MS_DEFAULT} ms`,
    legal?.absentMs === TTL_MS_DEFAULT,
  );
  const { code: oneTry = 'none', tookMs = Number.NaN } = { ...legal?.oneTry, ...legal };
  bench.measure(
    'client: a wait of 0 for a name that is held',
    `${oneTry} after ${tookMs.toFixed(0)} ms`,
    `wait-timeout, at most ${REFUSED_MS_MAX} ms`,
    oneTry === 'wait-timeout' && tookMs <= REFUSED_MS_MAX,
  );
}

const refusedBy = ({ field, min, max, given, tookMs, outcome }: Tried): Refused => ({
  given,
  tookMs,
  right:
    outcome.code === 'bad-request' &&
    outcome.param === field &&
    namesUnitAndRange(outcome.message, field, { min, max }),
  said: JSON.stringify(outcome),
});
