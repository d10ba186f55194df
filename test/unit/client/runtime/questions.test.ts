import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Outcome } from '../../../../client/core/types.ts';
import { fencingToken, leaseName } from '../../../../shared/ids.ts';
import { failure, rig } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

describe('questions', () => {
  const settleWith = (outcome: Outcome) => (event: { readonly reference: never } | { readonly reference: unknown }) =>
    [{ kind: 'settle', reference: event.reference as never, outcome }] as const;

  it('ready resolves when the core says so', async () => {
    const { core, client } = rig();
    core.once('ready', settleWith({ kind: 'done' }));
    await expect(client.ready()).resolves.toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [undefined, 5_000],
    [250, 250],
  ])('S10 ready with timeoutMs %s rejects unavailable after %s ms, and the core is told', async (timeoutMs, ms) => {
    const { core, client } = rig();
    const ready = client.ready({ timeoutMs });
    vi.advanceTimersByTime(ms - 1);
    expect(core.heard('give-up')).toEqual([]);
    vi.advanceTimersByTime(1);
    await expect(ready).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
      message: `nobody within ${ms} ms`,
    });
    const reference = core.heard('ready')[0]?.reference;
    expect(core.heard('give-up')).toEqual([{ kind: 'give-up', reference, afterMs: ms }]);
  });

  it('ready rejects with what the core refuses, its cause included', async () => {
    const { core, client } = rig();
    core.once(
      'ready',
      settleWith({
        kind: 'failed',
        failure: failure({
          code: 'refused',
          message: 'for good',
          retryable: false,
          cause: failure({ code: 'unauthorized' }),
        }),
      }),
    );
    await expect(client.ready()).rejects.toMatchObject({ code: 'refused', cause: { code: 'unauthorized' } });
  });

  it('inspect asks for exactly one name and fills in what the wire leaves out', async () => {
    const { core, client } = rig();
    core.once(
      'list',
      settleWith({ kind: 'views', views: [{ name: leaseName('printer'), holders: [], queue: 2 }], next: undefined }),
    );
    await expect(client.inspect('printer')).resolves.toEqual({
      name: 'printer',
      holders: [],
      queue: 2,
      state: null,
      lastFencingToken: null,
    });
    expect(core.heard('list')).toMatchObject([{ name: 'printer', limit: 1 }]);
  });

  it('inspect passes on what the wire has', async () => {
    const { core, client } = rig();
    const view = {
      name: leaseName('printer'),
      holders: [],
      queue: 0,
      state: { value: 1, version: 4, fencingToken: fencingToken(9) },
      lastFencingToken: fencingToken(9),
    };
    core.once('list', settleWith({ kind: 'views', views: [view], next: undefined }));
    await expect(client.inspect('printer')).resolves.toEqual(view);
  });

  it.each<[object]>([[{ timeoutMs: 0 }], [{ timeoutMs: 1.5 }], [{ timeout: 5 }]])(
    'S10 odd options of ready and inspect are refused: %j',
    async (given) => {
      const { client, core } = rig();
      await expect(client.ready(given)).rejects.toMatchObject({ code: 'bad-request' });
      await expect(client.inspect('printer', given)).rejects.toMatchObject({ code: 'bad-request' });
      await expect(client.inspect('..')).rejects.toMatchObject({ code: 'bad-request', param: 'name' });
      expect(core.events).toEqual([]);
    },
  );
});
