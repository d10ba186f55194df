import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OnceOptions } from '../../../../client/runtime/public-once.ts';
import type { ConnectOptions } from '../../../../client/runtime/public-options.ts';
import { fencingToken } from '../../../../shared/ids.ts';
import type { Json } from '../../../../shared/json.ts';
import { LABEL_BYTES_MAX, ONCE_SLOTS_MAX, SLOT_BYTES_MAX, STATE_BYTES_MAX } from '../../../../shared/limits.ts';
import { utf8Bytes } from '../../../../shared/utf8.ts';
import { deferred, kinds, lost, releasing } from './run-support.ts';
import { failure, grant, news, rig, type Rig } from './support.ts';

beforeEach(() => {
  const now = Date.UTC(2026, 10, 30, 2);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now });
});
afterEach(() => void vi.useRealTimers());

const AT = '2026-11-30T02:00:00.000Z';
const done = (slot: string, over: object = {}): Record<string, Json> => ({
  slot,
  by: 'other',
  at: AT,
  fencingToken: 3,
  ...over,
});
const record = (...slots: readonly Json[]): Json => ({ 'leasehold.once': slots });

interface Made extends Rig {
  /** What was written, in order. */
  readonly written: (Json | undefined)[];
}

/** A coordinator that keeps the state of one name. */
function keeping(first?: Json, options: ConnectOptions = {}): Made {
  let value = first;
  const made = releasing({ label: 'job 1', ...options });
  const { core } = made;
  const written: (Json | undefined)[] = [];
  const before = core.answer;
  core.answer = (event, now) => {
    if (event.kind === 'acquire') {
      const state = value === undefined ? undefined : { value, version: 1, fencingToken: fencingToken(3) };
      return grant(core, event.key, { state });
    }
    if (event.kind !== 'set-state') return before(event, now);
    written.push((value = event.value));
    return [{ kind: 'settle', reference: event.reference, outcome: { kind: 'state-set', version: 2 } }];
  };
  return { ...made, written };
}

const slot = '2026-11-30T02:00Z';
const mine = { slot, by: 'job 1', at: AT, fencingToken: 7 };

describe('once', () => {
  it('runs, and marks the slot under its token before it releases', async () => {
    const made = keeping();
    const order: string[] = [];
    const result = made.client.once('invoices', { slot }, (lease) => {
      order.push(...kinds(made));
      return lease.fencingToken;
    });
    await expect(result).resolves.toEqual({ ran: true, slot, value: 7 });
    expect(order).toEqual(['acquire']);
    expect(kinds(made)).toEqual(['acquire', 'set-state', 'release']);
    expect(made.written).toEqual([record(mine)]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('skips what was done, says who did it and when, and writes nothing', async () => {
    const made = keeping(record(done('earlier'), done(slot)));
    const work = vi.fn();
    await expect(made.client.once('invoices', { slot }, work)).resolves.toEqual({
      ran: false,
      slot,
      by: 'other',
      at: AT,
      fencingToken: 3,
    });
    expect(work).not.toHaveBeenCalled();
    expect(kinds(made)).toEqual(['acquire', 'release']);
  });

  it('a second call skips what the first did; another slot runs', async () => {
    const made = keeping();
    const work = vi.fn();
    await made.client.once('invoices', { slot }, work);
    await expect(made.client.once('invoices', { slot }, work)).resolves.toMatchObject({ ran: false, by: 'job 1' });
    await expect(made.client.once('invoices', { slot: `${slot} ` }, work)).resolves.toMatchObject({ ran: true });
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('the last 32 slots are remembered, the newest last', async () => {
    const slots = Array.from({ length: ONCE_SLOTS_MAX }, (_, index) => done(`s${index}`));
    const made = keeping(record(...slots));
    await made.client.once('invoices', { slot }, () => 1);
    expect(made.written).toEqual([record(...slots.slice(1), mine)]);
    await expect(made.client.once('invoices', { slot: 's1' }, () => 1)).resolves.toMatchObject({ ran: false });
    await expect(made.client.once('invoices', { slot: 's0' }, () => 1)).resolves.toMatchObject({ ran: true });
  });

  it('the largest record that there can be fits into a state', async () => {
    // JSON writes a quote as two bytes; what it writes as six is refused.
    const worst = { slot: '"'.repeat(SLOT_BYTES_MAX - 2), by: '"'.repeat(LABEL_BYTES_MAX) };
    const at = '+275760-09-13T00:00:00.000Z';
    const slots = Array.from({ length: ONCE_SLOTS_MAX }, (_, index) =>
      done(`${worst.slot}${String(index).padStart(2, '0')}`, { ...worst, at, fencingToken: Number.MAX_SAFE_INTEGER }),
    );
    const made = keeping(record(...slots), { label: worst.by });
    await made.client.once('invoices', { slot: '"'.repeat(SLOT_BYTES_MAX) }, () => 1);
    const bytes = utf8Bytes(JSON.stringify(made.written[0]));
    expect(bytes).toBeGreaterThan(18_000);
    expect(bytes).toBeLessThan(STATE_BYTES_MAX);
  });

  it('mark before: the slot is on disk before the work starts, and is not written again', async () => {
    const made = keeping();
    const { core } = made;
    const answered = core.answer;
    core.answer = (event, now) => (event.kind === 'set-state' ? [] : answered(event, now));
    const work = vi.fn(() => 5);
    const result = made.client.once('invoices', { slot, mark: 'before' }, work);
    await vi.waitFor(() => expect(core.heard('set-state')).toHaveLength(1));
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    expect(work).not.toHaveBeenCalled();
    const reference = core.heard('set-state')[0]?.reference;
    if (reference !== undefined) made.turn({ kind: 'settle', reference, outcome: { kind: 'state-set', version: 2 } });
    await expect(result).resolves.toEqual({ ran: true, slot, value: 5 });
    expect(kinds(made).filter((kind) => kind !== 'ready')).toEqual(['acquire', 'set-state', 'release']);
  });

  it('mark before: a slot that cannot be written is not worked on', async () => {
    const made = keeping();
    made.core.once('set-state', ({ reference }) => [
      { kind: 'settle', reference, outcome: { kind: 'failed', failure: failure({ code: 'storage-full' }) } },
    ]);
    const work = vi.fn();
    const result = made.client.once('invoices', { slot, mark: 'before' }, work);
    await expect(result).rejects.toMatchObject({ code: 'storage-full' });
    expect(work).not.toHaveBeenCalled();
    expect(kinds(made)).toEqual(['acquire', 'set-state', 'release']);
  });

  it('a work that throws is not marked, and once rejects with its error; with mark before it stays marked', async () => {
    const cause = new Error('mine');
    const work = (): Promise<never> => Promise.reject(cause);
    const made = keeping();
    await expect(made.client.once('invoices', { slot }, work)).rejects.toBe(cause);
    expect(made.written).toEqual([]);
    await expect(made.client.once('invoices', { slot, mark: 'before' }, work)).rejects.toBe(cause);
    await expect(made.client.once('invoices', { slot }, work)).resolves.toMatchObject({ ran: false });
  });

  it('S3 whoever lost the lease meanwhile marks nothing, and once rejects with the loss', async () => {
    const made = keeping();
    const work = deferred<number>();
    const started = vi.fn();
    const result = made.client.once('invoices', { slot }, () => (started(), work.promise));
    await vi.waitFor(() => expect(started).toHaveBeenCalled());
    news(made, lost);
    work.resolve(1);
    await expect(result).rejects.toMatchObject({ name: 'LeaseLostError', code: 'expired' });
    expect(made.written).toEqual([]);
  });

  it('a loss while the slot is being written rejects with the loss', async () => {
    const made = keeping();
    made.core.once('set-state', ({ key, reference }) => {
      made.core.leases.delete(key);
      return [
        { kind: 'lease', key, news: lost },
        { kind: 'settle', reference, outcome: { kind: 'failed', failure: failure({ code: 'expired' }) } },
      ];
    });
    const result = made.client.once('invoices', { slot }, () => 1);
    await expect(result).rejects.toMatchObject({ name: 'LeaseLostError', code: 'expired' });
  });

  it.each([
    null,
    'text',
    7,
    [],
    {},
    { count: 1 },
    { 'leasehold.once': 'x' },
    { 'leasehold.once': [], count: 1 },
    record('s'),
    record(null),
    record({ ...done(slot), by: 1 }),
    record({ ...done(slot), fencingToken: '3' }),
  ] as const)('S10 a state that is not of its making is refused before the work runs, and stays: %j', async (state) => {
    const made = keeping(state);
    const work = vi.fn();
    const result = made.client.once('invoices', { slot }, work);
    await expect(result).rejects.toMatchObject({ code: 'bad-request', param: 'name' });
    expect(work).not.toHaveBeenCalled();
    expect(kinds(made)).toEqual(['acquire', 'release']);
  });

  it('what a newer version of once writes beside is no reason to refuse', async () => {
    const made = keeping(record(done(slot, { more: true })));
    await expect(made.client.once('invoices', { slot }, () => 1)).resolves.toMatchObject({ ran: false });
  });
});

describe('once: options', () => {
  it.each([1, 127, 128])('a slot of %j bytes is taken', async (bytes) => {
    const made = keeping();
    const named = 's'.repeat(bytes);
    await expect(made.client.once('invoices', { slot: named }, () => 1)).resolves.toMatchObject({ slot: named });
  });

  it.each([
    [{ slot: '' }, 'slot'],
    [{ slot: 's'.repeat(129) }, 'slot'],
    [{ slot: `${'s'.repeat(127)}é` }, 'slot'],
    [{}, 'slot'],
    [{ slot: 5 }, 'slot'],
    [{ slot: 'two\nlines' }, 'slot'],
    [{ slot: 'half \ud800' }, 'slot'],
    [{ slot, mark: 'never' }, 'mark'],
    [{ slot, ifUnavailable: 'run' }, 'ifUnavailable'],
    [{ slot, slots: 1 }, 'slots'],
    [undefined, 'options'],
  ])('S10 odd ones are refused before anything is asked: %j', async (options, param) => {
    const { core, client } = rig();
    const result = client.once('invoices', options as never, () => 1);
    await expect(result).rejects.toMatchObject({ code: 'bad-request', param });
    expect(core.events).toEqual([]);
  });

  it('S10 a work that is no function is refused before anything is asked', async () => {
    const { core, client } = rig();
    const result = client.once('invoices', { slot }, undefined as never);
    await expect(result).rejects.toMatchObject({ code: 'bad-request', param: 'work' });
    expect(core.events).toEqual([]);
  });

  it('those of run are passed on', async () => {
    const made = keeping();
    const options: OnceOptions = { slot, ttlMs: 9_000, waitMs: 60_000, priority: 2, drainMs: 10 };
    await made.client.once('invoices', options, () => 1);
    expect(made.core.heard('acquire')[0]?.terms).toMatchObject({ ttlMs: 9_000, waitMs: 60_000, priority: 2 });
  });

  it('aborted before the grant, the work never starts', async () => {
    const made = keeping();
    made.core.answer = () => [];
    const controller = new AbortController();
    const work = vi.fn();
    const result = made.client.once('invoices', { slot, signal: controller.signal }, work);
    controller.abort(new Error('no more'));
    await expect(result).rejects.toThrow('no more');
    expect(work).not.toHaveBeenCalled();
  });
});
