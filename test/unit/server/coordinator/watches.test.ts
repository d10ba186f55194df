import { describe, expect, test } from 'vitest';
import { leaseName } from '../../../../shared/ids.ts';
import { durationMs, listeningMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import { heard, shownNow, unwatch, watch, watcher } from './support/watching.ts';

describe('a watch', () => {
  test('is answered in its turn, of a name that nobody ever held as of one that is free', () => {
    const driver = new CoreDriver();
    const client = driver.client().connect();
    client.push(watch('printer', 'w'));
    driver.turn();
    expect(client.only('view')).toEqual({
      type: 'view',
      request: 'w',
      views: [{ name: 'printer', holders: [], queue: 0 }],
    });
    expect(driver.core.status.watches).toBe(1);
    driver.pass(2_000);
    expect(client.take('view'), 'and nothing more while nothing changes').toEqual([]);
  });

  test('comes behind welcome where it came in one frame with hello', () => {
    const driver = new CoreDriver();
    const client = driver.client().dialUp({}, [watch('printer')]);
    driver.turn();
    expect(client.heard.map(({ type }) => type)).toEqual(['welcome', 'view']);
  });

  test('hears of a grant, a state, an end, each in the turn in which it is decided and durable', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    const holder = driver.client('holder').connect();
    const lease = holder.granted('printer', 10_000);
    expect(heard(seen)).toEqual(['printer holder 10000 queue 0']);
    driver.pass(100);
    holder.send(holder.setState(lease, { page: 1 }));
    expect(heard(seen)).toEqual(['printer holder 9900 queue 0 state {"page":1}']);
    holder.push(holder.release(lease));
    driver.turn();
    expect(heard(seen)).toEqual(['printer free queue 0 state {"page":1}']);
  });

  test('misses nothing between its first view and the next: what changes in one turn with it is in the one or the other', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const client = driver.client('watcher').connect();
    // The grant is decided in the turn of the watch, and told with the next one.
    holder.push(holder.acquire('printer'));
    client.push(watch('printer'));
    driver.turn();
    expect(heard(client)).toEqual(['printer free queue 0']);
    driver.turn();
    expect(heard(client)).toEqual(['printer holder 30000 queue 0']);
    // And the other way about: decided behind the watch in the same turn, so in its first view already.
    const late = driver.client('late').connect();
    late.push(watch('printer'));
    holder.push(holder.release(holder.only('granted')));
    driver.turn();
    expect(heard(late)).toEqual(['printer free queue 0']);
    driver.settle();
    expect(heard(late)).toEqual([]);
  });

  test('hears of several changes of a turn as one, as they ended', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const lease = holder.granted('printer');
    const seen = watcher(driver, 'printer');
    const names = Array.from({ length: 50 }, (_, index) => index);
    holder.push(...names.map((page) => holder.setState(lease, page)));
    driver.settle();
    expect(heard(seen)).toEqual(['printer holder 30000 queue 0 state 49']);
  });

  test('hears of no other name', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    const holder = driver.client('holder').connect();
    holder.send(holder.release(holder.granted('plotter')));
    holder.send(holder.release(holder.granted('print')));
    driver.pass(3_000);
    expect(heard(seen)).toEqual([]);
  });

  test('R15 a grant and a state on their way to the disk are shown to nobody', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const lease = holder.granted('plotter');
    const seen = watcher(driver, 'printer', 'plotter');
    driver.disk = 'slow';
    holder.send(holder.acquire('printer'), holder.setState(lease, 1));
    driver.pass(5_000);
    seen.send(watch('printer', 'late'), watch('plotter', 'late too'));
    expect(heard(seen)).toEqual(['printer free queue 0', 'plotter holder 25000 queue 0']);
    driver.finishAppend().settle();
    expect(heard(seen)).toEqual([
      'printer holder 30000 queue 0',
      'printer holder 30000 queue 0',
      'plotter holder 25000 queue 0 state 1',
      'plotter holder 25000 queue 0 state 1',
    ]);
  });

  test('R15 a failed append shows nothing of what it undid', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const lease = holder.granted('plotter');
    const seen = watcher(driver, 'printer', 'plotter');
    driver.disk = 'full';
    holder.send(holder.acquire('printer', 30_000, { waitMs: durationMs(0) }), holder.setState(lease, 1));
    driver.pass(200);
    expect(heard(seen)).toEqual([]);
    driver.disk = 'ok';
    driver.pass(3_000);
    expect(heard(seen)).toEqual([]);
  });

  test('R15 a claim whose grant was undone is shown as waiting, and as holder once that is durable', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    driver.pass(1_000);
    driver.disk = 'full';
    const holder = driver.client('holder').connect();
    holder.send(holder.acquire('printer', 10_000));
    expect(heard(seen)).toEqual(['printer free queue 1']);
    driver.disk = 'ok';
    driver.pass(400);
    expect(heard(seen)[0]).toBe('printer holder 10000 queue 0');
  });

  test('a new label of the holder is shown at once', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    holder.granted('printer', 10_000);
    const seen = watcher(driver, 'printer');
    holder.connect({ label: 'other' });
    expect(heard(seen)).toEqual(['printer other 10000 queue 0']);
    holder.connect({ label: 'other' });
    expect(heard(seen)).toEqual([]);
  });

  test('the last token is shown no longer when the closure that kept it in mind is over', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const lease = holder.granted('printer', 10_000, { minHoldMs: durationMs(5_000) });
    const seen = watcher(driver, 'printer');
    holder.send(holder.release(lease));
    expect(seen.only('view').views[0]?.lastFencingToken).toBe(lease.fencingToken);
    driver.pass(6_000);
    expect(seen.only('view').views).toEqual([{ name: 'printer', holders: [], queue: 0 }]);
  });
});

describe('a watch ends', () => {
  test('by unwatch, which is not answered, and is safe for what is not watched', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    seen.send(unwatch('watch printer'), unwatch('watch nothing'));
    driver.client('holder').connect().granted('printer');
    driver.pass(2_000);
    expect(seen.heard).toEqual([]);
    expect(driver.core.status.watches).toBe(0);
  });

  test('with its socket: a dropped one, one that was replaced, a bye, the end of its session', () => {
    const ends = {
      dropped: (client: ReturnType<typeof watcher>) => client.drop(),
      replaced: (client: ReturnType<typeof watcher>) => client.connect(),
      bye: (client: ReturnType<typeof watcher>) => client.send({ type: 'bye', keepMs: durationMs(0) }),
      stale: (client: ReturnType<typeof watcher>) => {
        client.frame -= 1;
        return client.send(unwatch('x'));
      },
    };
    for (const [what, end] of Object.entries(ends)) {
      const driver = new CoreDriver();
      const seen = watcher(driver, 'printer', 'plotter');
      expect(driver.core.status.watches, what).toBe(2);
      end(seen);
      expect(driver.core.status.watches, what).toBe(0);
      driver.client('holder').connect().granted('printer');
      expect(seen.take('view'), what).toEqual([]);
    }
  });

  test('when its session ends in silence, and when the coordinator has drained', () => {
    const driver = new CoreDriver();
    watcher(driver, 'printer');
    driver.pass(31_000);
    expect(driver.core.status).toMatchObject({ watches: 0, sessions: 0 });
    expect([driver.core.nextWake(), driver.core.mustListen]).toEqual([null, false]);
    watcher(driver, 'printer');
    driver.input({ kind: 'drain', retryAfterMs: durationMs(1_000) }).settle();
    expect(driver.core.status).toMatchObject({ watches: 0, draining: true });
  });

  test('with the old socket; the new one watches again under the same id and sees what has changed meanwhile', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    seen.drop();
    driver.client('holder').connect().granted('printer', 10_000);
    seen.connect();
    seen.send(watch('printer'));
    expect(heard(seen)).toEqual(['printer holder 10000 queue 0']);
  });

  test('its session is pinged, and lives as long as it answers', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    seen.answers = true;
    driver.pass(120_000);
    expect(seen.take('ping').length).toBe(8);
    expect(driver.core.status).toMatchObject({ watches: 1, sessions: 1 });
    driver.client('holder').connect().granted('printer');
    expect(heard(seen)).toHaveLength(1);
  });
});

describe('a watch is asked for', () => {
  test('again under a living id with the same name: the present view, once more', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    seen.send(watch('printer'), watch('printer'));
    expect(heard(seen)).toEqual(['printer free queue 0']);
    expect(driver.core.status.watches).toBe(1);
  });

  test('S10 under a living id with another name: refused, and the first one goes on', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    seen.send(watch('plotter', 'watch printer'));
    expect(seen.only('error')).toMatchObject({
      request: 'watch printer',
      code: 'bad-request',
      param: 'request',
      retryable: false,
    });
    driver.client('holder').connect().granted('printer', 10_000);
    expect(heard(seen)).toEqual(['printer holder 10000 queue 0']);
  });

  test.each([
    [2, undefined],
    [3, 'too-many-requests'],
    [4, 'too-many-requests'],
  ])('S11 where 3 leases, claims and watches are allowed and %i are there, the next is answered %s', (count, code) => {
    const driver = new CoreDriver({ limits: { perSessionMax: 4 } });
    driver.client('other').connect().granted('taken');
    const client = driver.client().connect();
    const things = [
      client.acquire('mine'),
      watch('printer', 'w'),
      client.acquire('taken'),
      watch('printer', 'w2'),
    ] as const;
    for (const thing of things.slice(0, count)) client.send(thing);
    driver.input({ kind: 'configure', limits: { ...driver.limits, perSessionMax: 3 } });
    client.heard = [];
    client.send(watch('plotter', 'next'), client.acquire('another', 10_000, { request: 'next too' }));
    const told = client.take('error').map((error) => [error.request, error.code, error.retryable]);
    // Where there is room for one, the watch takes it.
    expect(told).toEqual(
      code === undefined
        ? [['next too', 'too-many-requests', true]]
        : [
            ['next', code, true],
            ['next too', code, true],
          ],
    );
    expect(client.take('view')).toHaveLength(code === undefined ? 1 : 0);
    client.send(watch('printer', 'w'));
    expect(client.take('error'), 'a repeat is no further one').toEqual([]);
  });

  test('S11 one that was given up makes room', () => {
    const driver = new CoreDriver({ limits: { perSessionMax: 1 } });
    const client = watcher(driver, 'printer');
    client.send(unwatch('watch printer'), watch('plotter'));
    expect(client.take('error')).toEqual([]);
    expect(heard(client)).toEqual(['plotter free queue 0']);
  });
});

describe('what is shown without a watch', () => {
  test('show is what a watcher is told; list the same, in pages', () => {
    const driver = new CoreDriver();
    const seen = driver.client('watcher').connect();
    const holder = driver.client('holder').connect();
    for (const name of ['a', 'b', 'c']) holder.send(holder.setState(holder.granted(name), name));
    seen.send(watch('b'));
    expect(shownNow(driver, 'b')).toEqual(seen.only('view').views[0]);
    expect(shownNow(driver, 'nobody')).toEqual({ name: 'nobody', holders: [], queue: 0 });
    const pages = ['', 'b'].map((after) => driver.core.list(listeningMs(driver.now), '', after, 2));
    expect(pages.map(({ views, next }) => [views.map(({ name }) => name), next])).toEqual([
      [['a', 'b'], 'b'],
      [['c'], null],
    ]);
    expect(pages[0]?.views[1]).toEqual(shownNow(driver, leaseName('b')));
  });
});
