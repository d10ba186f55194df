import { fileURLToPath } from 'node:url';
import type { Bench } from '../support/bench.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { msBetween } from '../support/log.ts';
import { Script, type ScriptLine } from '../support/script.ts';
import { within } from '../support/waiting.ts';

const HOLDS = fileURLToPath(new URL('./f34/holds.ts', import.meta.url));
const BY_HAND = 5;
const FREED_MS_MAX = 100;
/** A window counts from the sending of its renewal: by the round trip there is less left when the answer is here. */
const ROUND_TRIP_MS_MAX = 150;

export const F34: FieldCase = {
  id: 'F34',
  title: 'S6 the handle that acquire gave stays the handle, through every renewal and to its release',
  async run(bench, size) {
    const full = size === 'full';
    const coordinator = await bench.coordinator();
    await kept(bench, coordinator, full ? { ttlMs: 3_000, renewals: 20 } : { ttlMs: 1_000, renewals: 8 });
  },
};

interface Length {
  readonly ttlMs: number;
  /** By itself and by hand. */
  readonly renewals: number;
}

async function kept(bench: Bench, coordinator: CoordinatorProcess, { ttlMs, renewals }: Length): Promise<void> {
  const next = bench.process().client('next', coordinator.url, { idleMs: 60_000 });
  await next.ready(30_000);
  using script = new Script(HOLDS, [coordinator.url, 'kept', ...[ttlMs, renewals, BY_HAND].map(String)]);
  await script.says('look');
  const waiting = next.acquire('a', 'kept', { ttlMs: 3_000 }, renewals * ttlMs + 30_000);
  await within(script.ended, renewals * ttlMs + 30_000, `the holder ends: ${script.stderr}`);
  await waiting;
  const looks = script.lines.filter(({ what }) => what === 'look');
  const living = looks.filter(({ fields }) => fields['when'] !== 'over');
  measureLooks(bench, living, { ttlMs, renewals });
  const [first, second] = ['released', 'released-again'].map((what) => script.lines.find((one) => one.what === what));
  bench.measure(
    'first release',
    String(first?.fields['first']),
    'true: it gave the lease back',
    first?.fields['first'] === true,
  );
  bench.measure(
    'second release',
    String(second?.fields['second']),
    'false: there was nothing to give back',
    second?.fields['second'] === false,
  );
  const over = looks.at(-1)?.fields;
  bench.measure(
    'the handle afterwards',
    `${String(over?.['status'])}, ${String(over?.['remainingMs'])} ms left`,
    'released, 0 ms left',
    over?.['status'] === 'released' && over['remainingMs'] === 0,
  );
  const held = await bench.log.find('held', ({ client }) => client === 'next', 5_000, 'the next holds');
  const ms = first === undefined ? Number.NaN : msBetween(first.at, held.at);
  bench.measure('release to the next grant', `${ms.toFixed(1)} ms`, `at most ${FREED_MS_MAX} ms`, ms <= FREED_MS_MAX);
}

function measureLooks(bench: Bench, looks: readonly ScriptLine[], { ttlMs, renewals }: Length): void {
  const tokens = new Set(looks.map(({ fields }) => fields['token']));
  bench.measure('tokens that the handle named', tokens.size, '1: constant', tokens.size === 1);
  const unheld = looks.filter(({ fields }) => fields['status'] !== 'held').length;
  bench.measure(
    `readings that were not "held", of ${looks.length}`,
    unheld,
    '0',
    unheld === 0 && looks.length > renewals,
  );
  const renewed = looks.filter(({ fields }) => fields['when'] === 'renewed');
  bench.measure('renewals that it told of', renewed.length, `at least ${renewals}`, renewed.length >= renewals);
  const fresh = renewed.map(({ fields }) => Number(fields['remainingMs']));
  const [least, most] = [Math.min(...fresh), Math.max(...fresh)];
  // The client stops believing that much earlier (S6); the default of `stopMarginMs` at these windows.
  const windowMs = ttlMs - Math.max(ttlMs / 10, 150);
  bench.measure(
    'left right after a renewal',
    `${least.toFixed(0)} to ${most.toFixed(0)} ms`,
    `${windowMs} ms (the window less the stop margin), less a round trip of at most ${ROUND_TRIP_MS_MAX} ms`,
    least >= windowMs - ROUND_TRIP_MS_MAX && most <= windowMs,
  );
}
