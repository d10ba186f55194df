import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Effect } from '../../../../client/core/types.ts';
import { leaseName } from '../../../../shared/ids.ts';
import { failure, rig, type Rig } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

type Watch = ReturnType<Rig['client']['watch']>;

function watching(options: { readonly signal?: AbortSignal } = {}) {
  const made = rig();
  const views: Watch = made.client.watch('printer', options);
  const reference = () => made.core.heard('watch').at(-1)?.reference ?? (0 as never);
  return {
    ...made,
    views,
    tell(...queues: readonly number[]): void {
      const view = (queue: number) => ({ name: leaseName('printer'), holders: [], queue });
      made.turn(...queues.map((queue): Effect => ({ kind: 'view', reference: reference(), view: view(queue) })));
    },
    fail(code: 'forbidden' | 'closed'): void {
      made.turn({
        kind: 'settle',
        reference: reference(),
        outcome: { kind: 'failed', failure: failure({ code, retryable: false }) },
      });
    },
  };
}
const queueOf = (result: IteratorResult<{ readonly queue: number }>) =>
  result.done === true ? 'end' : result.value.queue;
const DONE = { done: true, value: undefined };

describe('watch', () => {
  it('asks nothing before the first next, and an iterator that was never started holds nothing', async () => {
    const { signal } = new AbortController();
    const listens = vi.spyOn(signal, 'addEventListener');
    const { core, views } = watching({ signal });
    expect(core.events).toEqual([]);
    expect(listens).not.toHaveBeenCalled();
    expect(await views.return?.()).toEqual(DONE);
    expect(await views.next()).toEqual(DONE);
    expect(core.events).toEqual([]);
  });

  it('gives the view that is there, then each one that comes', async () => {
    const { core, views, tell } = watching();
    const first = views.next();
    expect(core.heard('watch')).toMatchObject([{ name: 'printer' }]);
    tell(3);
    expect(queueOf(await first)).toBe(3);
    const second = views.next();
    tell(4);
    expect(queueOf(await second)).toBe(4);
    expect(core.heard('watch')).toHaveLength(1);
  });

  it('F14 who reads slowly sees the newest and skips the rest', async () => {
    const { views, tell } = watching();
    const first = views.next();
    tell(1);
    await first;
    tell(2);
    tell(3, 4);
    expect(queueOf(await views.next())).toBe(4);
    const next = views.next();
    tell(5);
    expect(queueOf(await next)).toBe(5);
  });

  it('concurrent calls of next get one view each, in order, and all end together', async () => {
    const { views, tell } = watching();
    const calls = [views.next(), views.next(), views.next(), views.next()];
    tell(1, 2);
    expect((await Promise.all(calls.slice(0, 2))).map(queueOf)).toEqual([1, 2]);
    await views.return?.();
    expect((await Promise.all(calls.slice(2))).map(queueOf)).toEqual(['end', 'end']);
  });

  it('leaving the loop ends it: unwatch is said once, and nothing more is given', async () => {
    const { core, views, tell } = watching();
    const first = views.next();
    tell(1);
    await first;
    tell(2);
    for await (const view of views) {
      if (view.queue === 9) break;
      tell(9);
    }
    const [{ reference } = { reference: 0 }] = core.heard('watch');
    expect(core.heard('unwatch')).toEqual([{ kind: 'unwatch', reference }]);
    tell(5);
    expect(await views.next()).toEqual(DONE);
    expect(await views.return?.()).toEqual(DONE);
    expect(core.heard('unwatch')).toHaveLength(1);
  });

  it('its signal ends it quietly, drops the view that nobody took, and is listened to no more', async () => {
    const controller = new AbortController();
    const leaves = vi.spyOn(controller.signal, 'removeEventListener');
    const { core, views, tell } = watching({ signal: controller.signal });
    const waiting = views.next();
    tell(1);
    await waiting;
    tell(2);
    controller.abort(new Error('mine'));
    expect(await views.next()).toEqual(DONE);
    expect(core.heard('unwatch')).toHaveLength(1);
    expect(leaves).toHaveBeenCalled();
  });

  it('its signal ends a next that waits', async () => {
    const controller = new AbortController();
    const { views } = watching({ signal: controller.signal });
    const waiting = views.next();
    controller.abort();
    expect(await waiting).toEqual(DONE);
  });

  it('a signal that was aborted before asks nothing', async () => {
    const { core, views } = watching({ signal: AbortSignal.abort() });
    expect(await views.next()).toEqual(DONE);
    expect(core.events).toEqual([]);
  });

  it('S10 a refusal is thrown once, to the first that waits; then it is over', async () => {
    const { core, views, fail } = watching();
    const calls = [views.next(), views.next()];
    fail('forbidden');
    await expect(calls[0]).rejects.toMatchObject({ code: 'forbidden' });
    expect(await calls[1]).toEqual(DONE);
    expect(await views.next()).toEqual(DONE);
    expect(core.heard('unwatch')).toEqual([]);
  });

  it('S10 a refusal that nobody waits for comes behind the view that was not taken', async () => {
    const { views, tell, fail } = watching();
    const first = views.next();
    tell(1);
    await first;
    tell(2);
    fail('forbidden');
    expect(queueOf(await views.next())).toBe(2);
    await expect(views.next()).rejects.toMatchObject({ code: 'forbidden' });
    expect(await views.next()).toEqual(DONE);
  });

  it('S10 a refusal that comes back within the very call is thrown by it', async () => {
    const { core, views } = watching();
    core.once('watch', ({ reference }) => [
      { kind: 'settle', reference, outcome: { kind: 'failed', failure: failure({ code: 'closed' }) } },
    ]);
    await expect(views.next()).rejects.toMatchObject({ code: 'closed' });
    expect(await views.next()).toEqual(DONE);
  });

  it('S10 nobody who waits for its views dies of an unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { views, fail } = watching();
    void views.next();
    fail('forbidden');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('S10 bad names and options throw at the call', () => {
    const { client, core } = rig();
    expect(() => client.watch('..')).toThrow(expect.objectContaining({ code: 'bad-request', param: 'name' }));
    // What a program without types may pass.
    expect(() => client.watch('a', { signal: 5 as never })).toThrow(expect.objectContaining({ param: 'signal' }));
    expect(() => client.watch('a', { timeoutMs: 5 } as never)).toThrow(expect.objectContaining({ param: 'timeoutMs' }));
    expect(core.events).toEqual([]);
  });

  it('strips the namespace, and two watches of one name are two', async () => {
    const { core, client, turn } = rig({ namespace: 'acme' });
    const [one, two] = [client.watch('n'), client.watch('n')];
    const calls = [one.next(), two.next()];
    expect(core.heard('watch').map(({ name }) => name)).toEqual(['acme/n', 'acme/n']);
    const [first, second] = core.heard('watch').map(({ reference }) => reference);
    const view = { name: leaseName('acme/n'), holders: [], queue: 1 };
    turn(
      { kind: 'view', reference: second ?? (0 as never), view },
      { kind: 'view', reference: first ?? (0 as never), view },
    );
    expect(await Promise.all(calls)).toMatchObject([{ value: { name: 'n' } }, { value: { name: 'n' } }]);
  });
});
