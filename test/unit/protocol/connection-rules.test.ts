import { describe, expect, test } from 'vitest';
import { reference } from '../../../client/core/types.ts';
import { leaseName } from '../../../shared/ids.ts';
import { granted, held, holding, Script, TOKEN, TTL_MS } from './script.ts';

/** As the coordinator shows a name that nobody ever held. */
const free = { name: 'printer', holders: [], queue: 0 };

describe('docs/PROTOCOL.md: connection', () => {
  test('P-1 the first message of each frame carries its number, counted from 1 by 1 over all sockets', () => {
    const { script } = holding();
    script.close();
    script.pass(2_000);
    script.welcome({ held: [held(TTL_MS - 2_000)] });
    script.pass(7_000);
    const numbers = script.sent.map((frame) => frame.messages[0]?.frame);
    expect(numbers.length).toBeGreaterThan(3);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(new Set(script.sent.map((frame) => frame.dial)).size).toBeGreaterThan(1);
    expect(
      script.sent.flatMap((frame) => frame.messages.slice(1)).every((message) => message.frame === undefined),
    ).toBe(true);
  });

  test('P-2 a socket carries hello alone until the last part of welcome has come', () => {
    const script = new Script();
    script.acquire();
    script.welcome({ more: true });
    script.pass(100);
    expect(script.sent.map((frame) => frame.messages.map((message) => message.type))).toEqual([['hello']]);
    script.welcome();
    expect(script.all('acquire')).toHaveLength(1);
  });

  test('P-3 the instance stays, the dial rises, and the secret goes into resume alone', () => {
    const { script } = holding();
    script.close();
    script.pass(2_000);
    const hellos = script.all('hello');
    expect(hellos.map((hello) => hello.instance)).toEqual(['instance-1', 'instance-1']);
    expect(hellos.map((hello) => hello.resume)).toEqual([undefined, { session: 'session-1', secret: 'secret-1' }]);
    expect(hellos[1]?.dial).toBeGreaterThan(hellos[0]?.dial ?? Infinity);
    const rest = script.sent.map((frame) => frame.messages.map((message) => ({ ...message, resume: undefined })));
    expect(JSON.stringify(rest)).not.toContain('secret-1');
  });

  test('P-8 every unanswered request is repeated under its id after the last part of welcome, in order', () => {
    const script = new Script();
    script.acquire('claim-1');
    script.welcome();
    script.acquire('claim-2');
    script.close();
    script.pass(2_000);
    script.welcome({ more: true });
    expect(script.all('acquire').map((message) => message.request)).toEqual(['claim-1', 'claim-2']);
    script.welcome();
    expect(script.all('acquire').map((message) => message.request)).toEqual([
      'claim-1',
      'claim-2',
      'claim-1',
      'claim-2',
    ]);
  });

  test('P-9 a lease in welcome that is neither held nor awaited is released by its token', () => {
    const script = new Script();
    script.acquire('claim-2');
    script.welcome({ held: [held(TTL_MS, { name: 'plotter', fencingToken: 77 })] });
    expect(script.all('release')).toMatchObject([{ name: 'plotter', fencingToken: 77 }]);
  });

  test('P-9 a lease that is held and the last part of welcome lacks is lost', () => {
    const { script, key } = holding();
    script.close();
    script.pass(2_000);
    script.welcome({ more: true });
    expect(script.lease(key)?.status).not.toBe('lost');
    script.welcome();
    expect(script.lease(key)?.status).toBe('lost');
  });

  test('P-12 a ping is answered by a pong with its number', () => {
    const { script } = holding();
    script.receive([{ type: 'ping', ping: 7, nextMs: 15_000, frame: script.frame }]);
    expect(script.all('pong')).toMatchObject([{ ping: 7 }]);
    expect(script.all('pong')[0]?.clockMs).toBeTypeOf('number');
  });

  test('P-13 a request that nothing shows to be read within 1 s makes the client dial anew', () => {
    const script = new Script();
    script.acquire();
    script.welcome();
    const before = script.dial;
    script.pass(999);
    expect(script.abandoned).toEqual([]);
    script.pass(1);
    expect(script.abandoned).toEqual([before]);
    expect(script.dials.length).toBe(2);
  });

  test('P-13 a ping that names the frame of the request shows that it was read', () => {
    const script = new Script();
    script.acquire();
    script.welcome();
    script.receive([{ type: 'ping', ping: 1, nextMs: 15_000, frame: script.frame }]);
    script.pass(2_000);
    expect(script.abandoned).toEqual([]);
  });

  test('P-13 two ping periods of silence make a client that waits dial anew', () => {
    const script = new Script();
    script.acquire();
    script.welcome();
    script.receive([{ type: 'queued', request: 'claim-1', position: 0, behind: 'other' }]);
    // A waiter is pinged at a sixth of its window.
    script.receive([{ type: 'ping', ping: 1, nextMs: 1_666, frame: script.frame }]);
    const before = script.dials.length;
    script.pass(3_250);
    expect(script.dials.length).toBe(before);
    script.pass(200);
    expect(script.dials.length).toBe(before + 1);
  });

  test('P-15 dials to a coordinator that cannot be reached are spaced by rising, capped pauses', () => {
    const script = new Script();
    script.reachable = false;
    script.acquire();
    script.pass(60_000);
    const pauses = script.dials.slice(1).map((dial, index) => dial.atMs - (script.dials[index]?.atMs ?? 0));
    // Full jitter with a chance of one half: half of 0.5, 1, 2 s, which is the cap while a claim waits.
    expect(pauses.slice(0, 6)).toEqual([250, 500, 1_000, 1_000, 1_000, 1_000]);
  });

  test('P-17 gone is answered by the same acquire again', () => {
    const script = new Script();
    script.acquire();
    script.welcome();
    script.receive([{ type: 'queued', request: 'claim-1', position: 3, behind: 'other' }]);
    script.receive([{ type: 'gone', request: 'claim-1' }]);
    expect(script.all('acquire').map((message) => message.request)).toEqual(['claim-1', 'claim-1']);
  });

  test('P-18 another journal than before ends every lease of the earlier one', () => {
    const { script, key } = holding();
    script.close();
    script.pass(2_000);
    script.welcome({
      journal: 'journal-2',
      resumed: false,
      session: 'session-2',
      secret: 'secret-2',
      held: [held(TTL_MS)],
    });
    expect(script.lease(key)).toMatchObject({ status: 'lost', lossCode: 'journal-changed' });
  });

  test('P-19 a second state write of a name waits for the answer to the first', () => {
    const { script, key } = holding();
    script.setState(key, 1);
    script.setState(key, 2);
    expect(script.all('setState').map((message) => message.value)).toEqual([1]);
    const [first] = script.all('setState');
    script.receive([{ type: 'stateSet', request: first?.request ?? '', version: 1 }]);
    expect(script.all('setState').map((message) => message.value)).toEqual([1, 2]);
  });

  test('P-20 what is watched is watched again under its id after the last part of each welcome', () => {
    const script = new Script();
    script.do({ kind: 'watch', reference: reference(1), name: leaseName('printer') });
    script.welcome();
    const [first] = script.all('watch');
    script.receive([{ type: 'view', request: first?.request ?? '', views: [free] }]);
    script.close();
    script.pass(2_000);
    script.welcome({ more: true });
    expect(script.all('watch')).toEqual([first]);
    script.welcome();
    expect(script.all('watch').map(({ request, name }) => [request, name])).toEqual([
      [first?.request, 'printer'],
      [first?.request, 'printer'],
    ]);
    const changed = { ...free, queue: 3 };
    script.receive([{ type: 'view', request: first?.request ?? '', views: [changed] }]);
    const views = script.effects.flatMap((effect) => (effect.kind === 'view' ? [effect.view] : []));
    expect(views).toEqual([free, changed]);
  });

  test('P-22 under a quiet time, a grant that was never heard of is released and its repeat is not believed', () => {
    const script = new Script();
    script.acquire();
    script.welcome();
    script.close();
    script.pass(2_000);
    script.welcome({ held: [held(TTL_MS - 2_000)], quietMs: 5_000 });
    expect(script.all('release').map(({ fencingToken }) => fencingToken)).toEqual([TOKEN]);
    script.receive([granted(script.all('acquire').at(-1)?.frame ?? 0)]);
    expect(script.effects.filter(({ kind }) => kind === 'claim')).toEqual([]);
  });

  test('P-23 a priority that was changed is said again behind each welcome, of a claim and of its lease', () => {
    const script = new Script();
    const key = script.acquire('claim-1', { priority: 1 });
    script.welcome();
    script.receive([{ type: 'queued', request: key, position: 0, behind: 'other' }]);
    script.do({ kind: 'amend', key, priority: 4 });
    expect(script.all('amend')).toMatchObject([{ request: key, priority: 4 }]);
    script.close();
    script.pass(2_000);
    script.welcome();
    expect(script.sent.at(-1)?.messages).toMatchObject([
      { type: 'acquire', request: key, priority: 4 },
      { type: 'amend', request: key, priority: 4 },
    ]);
    script.receive([granted(script.frame)]);
    script.close();
    script.pass(2_000);
    script.welcome({ held: [held(TTL_MS - 2_000)] });
    expect(script.all('amend')).toHaveLength(3);
    script.release(key);
    script.close();
    script.pass(2_000);
    script.welcome();
    expect(script.all('amend')).toHaveLength(3);
  });

  test('P-21 a view is not believed as a lease, and one of a watch that was given up is ignored', () => {
    const script = new Script();
    script.do({ kind: 'watch', reference: reference(1), name: leaseName('printer') });
    script.welcome();
    const request = script.all('watch')[0]?.request ?? '';
    const mine = { label: '', metadata: null, session: 'session-1', fencingToken: TOKEN, mode: 'exclusive' };
    const times = { heldForMs: 1, remainingMs: 9_000, ceilingLeftMs: 9_000 };
    script.receive([{ type: 'view', request, views: [{ ...free, holders: [{ ...mine, ...times }] }] }]);
    script.pass(5_000);
    expect(script.all('renew')).toEqual([]);
    expect(script.all('release')).toEqual([]);
    script.do({ kind: 'unwatch', reference: reference(1) });
    expect(script.all('unwatch').map((message) => message.request)).toEqual([request]);
    script.receive([{ type: 'view', request, views: [free] }]);
    expect(script.effects.filter((effect) => effect.kind === 'view')).toHaveLength(1);
  });

  test('a grant under another request than the one that waits is released', () => {
    const script = new Script();
    script.acquire();
    script.welcome();
    script.receive([granted(script.frame, { request: 'claim-of-nobody', fencingToken: TOKEN + 1 })]);
    expect(script.all('release')).toMatchObject([{ fencingToken: TOKEN + 1 }]);
  });
});
