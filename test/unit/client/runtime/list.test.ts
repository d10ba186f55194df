import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WireLeaseView } from '../../../../shared/frames.ts';
import { leaseName } from '../../../../shared/ids.ts';
import { failure, rig } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

const view = (name: string): WireLeaseView => ({ name: leaseName(name), holders: [], queue: 0 });

/** A coordinator with these pages; each ends with where the next begins. */
function listing(pages: readonly (readonly string[])[], namespace?: string) {
  const made = rig(namespace === undefined ? {} : { namespace });
  made.core.answer = (event) => {
    if (event.kind !== 'list') return [];
    const at = event.after === '' ? 0 : pages.findIndex((page) => page.at(-1) === event.after) + 1;
    const page = pages[at] ?? [];
    const next = at + 1 < pages.length ? page.at(-1) : undefined;
    return [{ kind: 'settle', reference: event.reference, outcome: { kind: 'views', views: page.map(view), next } }];
  };
  return made;
}

async function namesOf(views: AsyncIterable<{ readonly name: string }>): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of views) names.push(name);
  return names;
}

describe('list', () => {
  it('gives every view, page by page, in the order in which they came', async () => {
    const { core, client } = listing([['a', 'b'], ['c'], ['d']]);
    expect(await namesOf(client.list())).toEqual(['a', 'b', 'c', 'd']);
    expect(core.heard('list').map(({ prefix, after, name }) => [prefix, after, name])).toEqual([
      ['', '', undefined],
      ['', 'b', undefined],
      ['', 'c', undefined],
    ]);
  });

  it('asks nothing before the first next, and no page before it is needed', async () => {
    const { core, client } = listing([['a', 'b'], ['c']]);
    const views = client.list();
    expect(core.events).toEqual([]);
    await views.next();
    await views.next();
    expect(core.heard('list')).toHaveLength(1);
    expect(await views.return?.()).toEqual({ done: true, value: undefined });
    expect(await views.next()).toEqual({ done: true, value: undefined });
    expect(core.heard('list')).toHaveLength(1);
  });

  it('the prefix stands behind the namespace, which nobody sees', async () => {
    const { core, client } = listing([['acme/jobs/a'], ['acme/jobs/b']], 'acme');
    expect(await namesOf(client.list({ prefix: 'jobs/' }))).toEqual(['jobs/a', 'jobs/b']);
    expect(core.heard('list').map(({ prefix, after }) => [prefix, after])).toEqual([
      ['acme/jobs/', ''],
      ['acme/jobs/', 'acme/jobs/a'],
    ]);
    await namesOf(client.list());
    expect(core.heard('list').at(-2)?.prefix).toBe('acme/');
  });

  it('a page may be empty, and more may follow', async () => {
    const { core, client } = rig();
    const answers = [
      { views: [], next: 'm' },
      { views: [view('n')], next: undefined },
    ];
    core.answer = (event) =>
      event.kind === 'list'
        ? [
            {
              kind: 'settle',
              reference: event.reference,
              outcome: { kind: 'views', ...(answers.shift() ?? { views: [], next: undefined }) },
            },
          ]
        : [];
    expect(await namesOf(client.list())).toEqual(['n']);
  });

  it.each([
    [undefined, 5_000],
    [250, 250],
  ])('S10 with timeoutMs %s a page that does not come is unavailable after %s ms', async (timeoutMs, ms) => {
    const { core, client } = rig();
    const waiting = client.list({ timeoutMs }).next();
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(core.heard('give-up')).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });

  it('S10 a refusal ends it', async () => {
    const { core, client } = rig();
    core.once('list', ({ reference }) => [
      { kind: 'settle', reference, outcome: { kind: 'failed', failure: failure({ code: 'forbidden' }) } },
    ]);
    const views = client.list();
    await expect(views.next()).rejects.toMatchObject({ code: 'forbidden' });
    expect(await views.next()).toEqual({ done: true, value: undefined });
  });

  it("its signal ends it with the signal's reason: before a page, while one is awaited, and between its views", async () => {
    const mine = new Error('mine');
    const never = rig();
    await expect(never.client.list({ signal: AbortSignal.abort(mine) }).next()).rejects.toBe(mine);
    expect(never.core.heard('list')).toEqual([]);
    const during = new AbortController();
    const waiting = never.client.list({ signal: during.signal }).next();
    await Promise.resolve();
    during.abort(mine);
    await expect(waiting).rejects.toBe(mine);
    const between = new AbortController();
    const views = listing([['a', 'b']]).client.list({ signal: between.signal });
    expect(await views.next()).toMatchObject({ value: { name: 'a' } });
    between.abort(mine);
    await expect(views.next()).rejects.toBe(mine);
    expect(await views.next()).toEqual({ done: true, value: undefined });
  });

  it('S10 nobody who waits for its views dies of an unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const controller = new AbortController();
    const { client } = rig();
    void client.list({ timeoutMs: 5, signal: controller.signal }).next();
    void client.list({ timeoutMs: 5 }).next();
    await vi.advanceTimersByTimeAsync(1);
    controller.abort(new Error('mine'));
    await vi.advanceTimersByTimeAsync(10);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it.each([
    [{ prefix: 5 }],
    [{ prefix: 'half \udc00' }],
    [{ prefix: 'n'.repeat(257) }],
    [{ timeoutMs: 0 }],
    [{ limit: 5 }],
    [{ signal: {} }],
  ])('S10 odd options throw at the call: %j', (given) => {
    const { client, core } = rig();
    expect(() => client.list(given as never)).toThrow(expect.objectContaining({ code: 'bad-request' }));
    expect(core.events).toEqual([]);
  });
});
