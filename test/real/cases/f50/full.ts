import type { Bench } from '../../support/bench.ts';
import type { CoordinatorProcess } from '../../support/coordinator-process.ts';
import { entriesOf, msBetween, now, type EntryOf } from '../../support/log.ts';
import { eventually, sleep } from '../../support/waiting.ts';
import { Attempts, type Place, type Tried } from './tenants.ts';

const REFUSED_MS_MAX = 1_000;
const NORMAL_MS_MAX = 5_000;
const LOOK_MS = 50;
const REFUSAL_WITHIN_MS = 10_000;
/** The log of the journal keeps the pages that it once had: small writes would find room in it for long. */
const STATE_CHARACTERS = 8 * 1024;
const RELEASED = 2;

interface Span {
  /** Behind the first refusal. */
  readonly from: bigint;
  /** There is space again. */
  readonly to: bigint;
}

/** The disk is full for a while. Tried are acquires, state writes, and the release of what others wait for. */
export async function measureFullDisk(bench: Bench, place: Place, fullMs: number): Promise<void> {
  const { coordinator, disk, tenants } = place;
  disk.fill();
  const looks = new Looks(coordinator);
  const attempts = new Attempts(bench, tenants, { pauseMs: 50, characters: STATE_CHARACTERS, release: true });
  await attempts.refused(REFUSAL_WITHIN_MS);
  const from = now();
  const releasing = tenants.holders.slice(0, RELEASED).map((holder) => holder.release('a'));
  const renewing = tenants.holders.slice(RELEASED).map((holder) => holder.renew('a'));
  await sleep(fullMs);
  const full: Span = { from, to: now() };
  disk.free();
  const back = await normalAgain(bench, place, attempts, full.to);
  await attempts.end();
  await looks.end();
  await Promise.all(releasing);
  const renewed = (await Promise.all(renewing)).filter(({ ok, at }) => ok && at < full.to).length;

  const during = attempts.tried.filter(({ calledAt, at }) => calledAt > full.from && at < full.to);
  for (const what of ['acquire', 'state write'] as const)
    measureRefusals(
      bench,
      what,
      attempts.tried.filter((one) => one.what === what && !one.settled.ok),
    );
  const answered = during.filter(({ settled }) => settled.ok).length;
  const taken = grants(bench, full).length;
  bench.measure(
    'while the disk is full, behind the first refusal',
    `${answered} of ${during.length} answered as if it were stored, ${taken} granted`,
    'none: nothing is stored',
    answered === 0 && taken === 0 && during.length > 0,
  );
  looks.measure(bench, full);
  measureLeases(bench, place, `${renewed} of ${renewing.length}`, renewed === renewing.length);
  const backMs = Math.max(...back.map((at) => (at === null ? Infinity : msBetween(full.to, at))));
  bench.measure(
    'space to normal: ready, an acquire, a state write, and who waited for what was released',
    `the last of ${back.length} after ${backMs.toFixed(0)} ms`,
    `all, within ${NORMAL_MS_MAX} ms, by the process that there was`,
    backMs <= NORMAL_MS_MAX && coordinator.living,
  );
  measureTokens(bench, full);
}

/** When each part of the ordinary was there again; null: not within three times its time. */
async function normalAgain(
  bench: Bench,
  { coordinator, tenants }: Place,
  attempts: Attempts,
  since: bigint,
): Promise<readonly (bigint | null)[]> {
  const withinMs = 3 * NORMAL_MS_MAX;
  const ready = async (): Promise<bigint> => {
    await eventually(async () => ((await statusOf(coordinator, 'readyz')) === 200 ? true : null), withinMs, 'ready');
    return now();
  };
  const ok = async (what: Tried['what']): Promise<bigint> =>
    (await eventually(() => attempts.first(what, true, since), withinMs, `${what} goes on`)).at;
  const granted = async ({ label }: { readonly label: string }): Promise<bigint> =>
    (await bench.log.find('held', ({ client }) => client === label, withinMs, `${label} holds`)).at;
  const waited = tenants.waiters.slice(0, RELEASED).map(granted);
  const all = [ready(), ok('acquire'), ok('state write'), ...waited];
  return Promise.all(all.map((one) => one.catch(() => null)));
}

function measureRefusals(bench: Bench, what: string, refused: readonly Tried[]): void {
  const slowest = Math.max(...refused.map(({ calledAt, at }) => msBetween(calledAt, at)));
  const how = new Set(refused.map(({ settled }) => (settled.ok ? '' : `${settled.code}: ${settled.message}`)));
  const isStorage = [...how].every((text) => /^unavailable: .*journal cannot be written.*try again/.test(text));
  bench.measure(
    `${what}, refused ${refused.length} times`,
    `slowest ${slowest.toFixed(0)} ms, ${[...how].map((text) => `"${text}"`).join(' or ')}`,
    `within ${REFUSED_MS_MAX} ms, as something that cannot be stored now and may be tried again`,
    refused.length > 0 && slowest <= REFUSED_MS_MAX && isStorage,
  );
}

function measureLeases(bench: Bench, { tenants }: Place, renewed: string, allRenewed: boolean): void {
  const lost = entriesOf(bench.log.entries, 'lost').length;
  const risky = entriesOf(bench.log.entries, 'at-risk').length;
  bench.measure(
    `${tenants.holders.length} leases`,
    `${renewed} renewed by hand while it was full, ${lost} lost, ${risky} at risk`,
    'all renewed, none lost: they go on in memory',
    lost === 0 && allRenewed,
  );
}

const grants = (bench: Bench, { from, to }: Span): readonly EntryOf<'held'>[] =>
  entriesOf(bench.log.entries, 'held').filter(({ at }) => at > from && at < to);

function measureTokens(bench: Bench, { from, to }: Span): void {
  const held = entriesOf(bench.log.entries, 'held');
  const before = Math.max(...held.filter(({ at }) => at < from).map(({ token }) => token));
  const after = held.filter(({ at }) => at > to).map(({ token }) => token);
  const rise = after.filter((token) => token > before).length;
  bench.measure(
    'tokens granted afterwards that are higher than every one before',
    `${rise} of ${after.length}`,
    'all',
    rise === after.length && after.length > 0,
  );
}

const statusOf = ({ port }: CoordinatorProcess, page: string): Promise<number> =>
  fetch(`http://127.0.0.1:${port}/${page}`).then(
    ({ status }) => status,
    () => 0,
  );

/** What probes are told meanwhile. */
class Looks {
  readonly #looks: { readonly from: bigint; readonly to: bigint; readonly ready: number; readonly health: number }[] =
    [];
  readonly #ended: Promise<void>;
  #over = false;

  constructor(coordinator: CoordinatorProcess) {
    this.#ended = this.#look(coordinator);
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#ended;
  }

  measure(bench: Bench, full: Span): void {
    const during = this.#looks.filter(({ from, to }) => from > full.from && to < full.to);
    const off = during.filter(({ ready }) => ready === 503).length;
    const up = this.#looks.filter(({ health }) => health === 200).length;
    bench.measure(
      'probes',
      `not ready in ${off} of ${during.length} while it was full; up in ${up} of ${this.#looks.length}`,
      'not ready while it is full, up all the time',
      during.length > 0 && off === during.length && up === this.#looks.length,
    );
  }

  async #look(coordinator: CoordinatorProcess): Promise<void> {
    while (!this.#over) {
      const from = now();
      const [ready, health] = await Promise.all([statusOf(coordinator, 'readyz'), statusOf(coordinator, 'healthz')]);
      this.#looks.push({ from, to: now(), ready, health });
      await sleep(LOOK_MS);
    }
  }
}
