import { describe, expect, test } from 'vitest';
import { fencingToken, leaseName, type RequestId } from '../../../../shared/ids.ts';
import { granted, held, holding, Script, TOKEN, TTL_MS } from '../../protocol/script.ts';

const queued = (request: RequestId) => ({ type: 'queued', request, position: 0, behind: 'other' });
const amended = (request: RequestId) => ({ type: 'amended', request, position: 0 });
/** How the claim stands for those who wait for it. */
const outcomes = (script: Script) =>
  script.effects.flatMap((effect) => (effect.kind === 'claim' ? [effect.outcome.kind] : []));

function waiting(): { readonly script: Script; readonly key: RequestId } {
  const script = new Script();
  const key = script.acquire();
  script.welcome();
  script.receive([queued(key)]);
  return { script, key };
}

describe('a priority that is changed', () => {
  test('goes with the claim where that was not said yet', () => {
    const script = new Script();
    const key = script.acquire();
    script.do({ kind: 'amend', key, priority: 2 });
    script.welcome();
    expect(script.all('acquire')).toMatchObject([{ priority: 2 }]);
    expect(script.all('amend')).toEqual([]);
  });

  test('is said of a claim that waits, and of the lease that came of it', () => {
    const { script, key } = waiting();
    script.do({ kind: 'amend', key, priority: 2 });
    script.receive([amended(key), granted(script.frame)]);
    script.do({ kind: 'amend', key, priority: 0 });
    expect(script.all('amend').map(({ request, priority }) => [request, priority])).toEqual([
      [key, 2],
      [key, 0],
    ]);
  });

  test('of two changes between two sockets the last is said', () => {
    const { script, key } = waiting();
    script.close();
    script.do({ kind: 'amend', key, priority: 1 });
    script.do({ kind: 'amend', key, priority: 3 });
    script.pass(2_000);
    script.welcome();
    expect(script.all('amend')).toMatchObject([{ priority: 3 }]);
    expect(script.all('acquire').at(-1)).toMatchObject({ priority: 3 });
  });

  test('of two changes in one turn both are said, in their order', () => {
    const { script, key } = waiting();
    script.do({ kind: 'amend', key, priority: 1 });
    script.do({ kind: 'amend', key, priority: 0 });
    expect(script.all('amend').map(({ priority }) => priority)).toEqual([1, 0]);
  });

  test('of a claim that the coordinator has forgotten is refused, and the claim is said anew and goes on', () => {
    const { script, key } = waiting();
    script.do({ kind: 'amend', key, priority: 2 });
    const refusal = { type: 'error', request: key, code: 'bad-request', message: 'unknown', retryable: false };
    script.receive([{ type: 'gone', request: key }, { ...refusal, param: 'request' }, queued(key)]);
    expect(outcomes(script)).toEqual([]);
    expect(script.all('acquire').at(-1)).toMatchObject({ request: key, priority: 2 });
    script.receive([granted(script.frame)]);
    expect(outcomes(script)).toEqual(['granted']);
  });

  test('hides no refusal of the claim itself', () => {
    const { script, key } = waiting();
    script.do({ kind: 'amend', key, priority: 2 });
    script.receive([
      { type: 'error', request: key, code: 'bad-request', message: 'no', retryable: false, param: 'ttlMs' },
    ]);
    expect(outcomes(script)).toEqual(['failed']);
    const other = waiting();
    other.script.receive([
      { type: 'error', request: key, code: 'bad-request', message: 'no', retryable: false, param: 'request' },
    ]);
    expect(outcomes(other.script)).toEqual(['failed']);
  });

  test('R21 that is not shown to be read within 1 s makes the client dial anew', () => {
    const { script, key } = holding();
    script.do({ kind: 'amend', key, priority: 2 });
    script.pass(500);
    script.receive([amended(key)]);
    script.pass(1_500);
    expect(script.dials).toHaveLength(1);
    script.do({ kind: 'amend', key, priority: 1 });
    script.pass(1_000);
    expect(script.dials).toHaveLength(2);
  });

  test('R21 says nothing of the claim: that is unread for as long as it was, and no longer', () => {
    const script = new Script();
    const key = script.acquire();
    script.welcome();
    const { frame } = script;
    script.pass(900);
    script.do({ kind: 'amend', key, priority: 2 });
    script.pass(100);
    expect(script.dials).toHaveLength(2);
    const read = new Script();
    read.acquire();
    read.welcome();
    read.pass(900);
    read.receive([{ type: 'ping', ping: 1, nextMs: 500, frame }]);
    read.do({ kind: 'amend', key, priority: 2 });
    read.pass(900);
    expect(read.dials).toHaveLength(1);
    read.pass(100);
    expect(read.dials).toHaveLength(2);
  });

  test('of what is over is said to nobody, and keeps no client busy', () => {
    const { script, key } = holding();
    script.do({ kind: 'amend', key, priority: 2 });
    script.receive([amended(key)]);
    script.release(key);
    script.receive([{ type: 'released', request: script.all('release')[0]?.request, released: true }]);
    script.do({ kind: 'amend', key, priority: 3 });
    expect(script.all('amend')).toHaveLength(1);
    expect(script.idle).toBe(true);
    const withdrawn = waiting();
    withdrawn.script.do({ kind: 'amend', key, priority: 2 });
    withdrawn.script.do({ kind: 'withdraw', key });
    withdrawn.script.close();
    withdrawn.script.pass(2_000);
    withdrawn.script.welcome();
    expect(withdrawn.script.all('amend')).toHaveLength(1);
  });
});

test('a request to yield is news of that lease alone, also of one that is at risk', () => {
  const { script, key } = holding();
  const asks = { type: 'yieldRequested', name: 'printer', fencingToken: TOKEN, priority: 7 };
  const news = () =>
    script.effects.flatMap((effect) =>
      effect.kind === 'lease' && effect.news.kind === 'yield-requested' ? [effect] : [],
    );
  script.receive([asks, { ...asks, fencingToken: TOKEN + 1 }]);
  expect(news()).toEqual([{ kind: 'lease', key, news: { kind: 'yield-requested', priority: 7 } }]);
  script.close();
  script.pass(2_000);
  script.welcome({ held: [held(TTL_MS - 2_000)] });
  script.receive([asks]);
  expect(news()).toHaveLength(2);
  script.receive([{ type: 'ended', name: leaseName('printer'), fencingToken: fencingToken(TOKEN), code: 'revoked' }]);
  script.receive([asks]);
  expect(news()).toHaveLength(2);
});
