import { describe, expect, test } from 'vitest';
import { reference } from '../../../../client/core/types.ts';
import { leaseName, requestId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { scripted, type Scripted } from '../../../support/sim/scripted.ts';

const watch = (world: Scripted, mine: number, name = 'n', hold = false) =>
  world.do({ kind: 'watch', reference: reference(mine), name: leaseName(name) }, hold);
const unwatch = (world: Scripted, mine: number, hold = false) =>
  world.do({ kind: 'unwatch', reference: reference(mine) }, hold);
/** News of the `nth` thing that was asked. */
const tell = (world: Scripted, nth: number, queue: number, name = 'n') =>
  world.say({ type: 'view', request: requestId(`#${nth}`), views: [{ name: leaseName(name), holders: [], queue }] });
const seen = (world: Scripted) => world.of('view').map(({ reference: mine, view }) => [mine, view.queue]);

function watching() {
  const world = scripted();
  watch(world, 1);
  world.open();
  return world;
}

describe('a watch', () => {
  test('S10 one that nobody answers says where it was tried, once, after 10 s, by the name as its caller knows it', () => {
    const world = scripted({ connectTimeoutMs: durationMs(500) });
    world.do({ kind: 'watch', reference: reference(1), name: leaseName('acme/n'), shownAs: 'n' });
    world.pass(9_999);
    expect(world.of('warning')).toEqual([]);
    world.pass(60_000);
    const text = expect.stringMatching(
      /^"n" waits for its first view: no connection \([a-z-]+\): ws:..one: no credential in time$/,
    );
    expect(world.of('warning')).toEqual([{ kind: 'warning', code: 'waiting', text }]);
  });

  test('one that was answered once is silent, whatever becomes of its connection', () => {
    const world = watching();
    tell(world, 1, 3);
    world.drop();
    world.pass(30_000);
    expect(world.of('warning')).toEqual([]);
  });

  test('dials, is said once, and each view comes under its reference', () => {
    const world = watching();
    expect(world.sent('watch')).toMatchObject([{ request: '#1', name: 'n' }]);
    tell(world, 1, 3);
    tell(world, 1, 4);
    expect(seen(world)).toEqual([
      [1, 3],
      [1, 4],
    ]);
    expect(world.outcome(1)).toBeUndefined();
  });

  test('keeps its connection: it is never idle, and says nothing of its own while views or pings come', () => {
    const world = watching();
    tell(world, 1, 0);
    for (let pings = 1; pings < 20; pings += 1) {
      world.pass(14_000);
      world.say({
        type: 'ping',
        ping: pings,
        nextMs: durationMs(15_000),
        frame: world.sent('pong').at(-1)?.inFrame ?? (2 as never),
      });
    }
    expect(world.core.idle).toBe(false);
    expect(world.statuses()).toEqual(['connecting', 'open']);
    expect(world.sent('watch')).toHaveLength(1);
  });

  test('is said again under the same request on each new socket', () => {
    const world = watching();
    tell(world, 1, 0);
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open();
    expect(world.sent('watch').map(({ request }) => request)).toEqual(['#1', '#1']);
    tell(world, 1, 9);
    expect(seen(world).at(-1)).toEqual([1, 9]);
  });

  test('R21 unread for 1 s it makes the client dial anew; once a view has come it waits for ever', () => {
    const world = watching();
    world.pass(999);
    expect(world.core.status).toBe('open');
    world.pass(1);
    expect(world.core.status).toBe('connecting');
    world.open();
    tell(world, 1, 0);
    world.pass(10_000);
    expect(world.core.status).toBe('open');
  });

  test('unwatch is said, settles nothing, hears no view that crosses it, and leaves the client idle', () => {
    const world = watching();
    tell(world, 1, 0);
    unwatch(world, 1);
    unwatch(world, 1);
    expect(world.sent('unwatch')).toMatchObject([{ request: '#1' }]);
    tell(world, 1, 5);
    expect(seen(world)).toEqual([[1, 0]]);
    expect(world.outcome(1)).toBeUndefined();
    expect(world.core.idle).toBe(true);
    world.pass(1_000);
    expect(world.core.status).toBe('idle');
  });

  test('ends the watch of its reference alone', () => {
    const world = watching();
    watch(world, 2);
    unwatch(world, 1);
    tell(world, 2, 7);
    expect(seen(world)).toEqual([[2, 7]]);
  });

  test('ended before it was said it is never said, and nothing is dialled for it twice', () => {
    const world = scripted();
    watch(world, 1);
    unwatch(world, 1);
    expect(world.core.status).toBe('idle');
    const claim = world.acquire('m');
    world.open();
    expect(world.sent('watch')).toEqual([]);
    expect(world.sent('unwatch')).toEqual([]);
    expect(world.claim(claim)).toBeUndefined();
  });

  test('asked and ended within one tick it is said in that order, in one frame', () => {
    const world = watching();
    watch(world, 2, 'm', true);
    unwatch(world, 2, true);
    const [frame] = world.do({ kind: 'wake' });
    expect(frame).toMatchObject({ kind: 'send', messages: [{ type: 'watch' }, { type: 'unwatch' }] });
  });

  test('a word of another kind under its request ends nothing', () => {
    const world = watching();
    world.say({ type: 'stateSet', request: requestId('#1'), version: 3 });
    tell(world, 1, 2);
    expect(seen(world)).toEqual([[1, 2]]);
  });

  test('S10 a refusal settles it, and it is not said again', () => {
    const world = watching();
    const no = { type: 'error', code: 'too-many-requests', message: '1,000 watches', retryable: true } as const;
    world.say({ ...no, request: requestId('#1') });
    expect(world.outcome(1)).toMatchObject({ kind: 'failed', failure: { code: 'too-many-requests' } });
    expect(world.core.idle).toBe(true);
    watch(world, 2);
    world.drop();
    world.until(() => world.core.status === 'connecting');
    world.open();
    expect(world.sent('watch').map(({ request }) => request)).toEqual(['#1', '#2', '#2']);
  });

  test('S10 a client that is refused, or closed, says so to those that it had and to those that come', () => {
    const refused = scripted();
    watch(refused, 1);
    refused.connect();
    refused.say({ type: 'error', code: 'version', message: 'too old', retryable: false });
    watch(refused, 2);
    expect([refused.outcome(1), refused.outcome(2)]).toMatchObject([
      { failure: { code: 'refused', cause: { code: 'version' } } },
      { failure: { code: 'refused', cause: { code: 'version' } } },
    ]);
    const closed = watching();
    closed.do({ kind: 'close', keep: [] });
    expect(closed.outcome(1)).toMatchObject({ failure: { code: 'closed' } });
    expect(closed.sent('unwatch')).toMatchObject([{ request: '#1' }]);
    expect(closed.core.idle).toBe(true);
    watch(closed, 2);
    expect(closed.outcome(2)).toMatchObject({ failure: { code: 'closed' } });
  });

  test('the session that views name is known from the first welcome on', () => {
    const world = scripted();
    expect(world.core.session).toBeNull();
    watch(world, 1);
    world.open();
    expect(world.core.session).toBe('session-1');
  });
});
