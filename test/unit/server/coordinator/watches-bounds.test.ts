import { describe, expect, test } from 'vitest';
import type { Input } from '../../../../server/core/core-types.ts';
import { socketId } from '../../../../server/core/core-types.ts';
import { BYTES_PER_TURN, SOCKET_BYTES_PER_TURN, Watches } from '../../../../server/core/coordinator/watches.ts';
import { leaseName, requestId } from '../../../../shared/ids.ts';
import { listeningMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import type { RawClient } from '../../../support/raw-client.ts';
import { heard, unwatch, watch, watcher } from './support/watching.ts';

function congestion({ socket }: RawClient, congested: boolean): Input {
  if (socket === null) throw new Error('it has no socket');
  return { kind: 'congestion', socket, congested };
}

const LARGE = 'x'.repeat(60_000);

/** Names with a state of 60,000 bytes each. */
function withStates(driver: CoreDriver, count: number): readonly string[] {
  const holder = driver.client('holder').connect();
  return Array.from({ length: count }, (_, index) => {
    const name = `n${index}`;
    holder.send(holder.setState(holder.granted(name), LARGE));
    return name;
  });
}

describe('S11 while a socket is congested', () => {
  test('S11 its views wait, and the newest is sent when it is free again', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const lease = holder.granted('printer', 10_000);
    const seen = watcher(driver, 'printer', 'plotter');
    driver.input(congestion(seen, true)).turn();
    for (let page = 0; page < 20; page += 1) holder.send(holder.setState(lease, page));
    driver.pass(3_000);
    seen.send(watch('late'));
    expect(heard(seen)).toEqual([]);
    driver.input(congestion(seen, false)).turn();
    expect(heard(seen)).toEqual(['printer holder 7000 queue 0 state 19', 'late free queue 0']);
    driver.pass(1_000);
    expect(heard(seen)).toEqual([]);
  });

  test('S11 all other messages go on, and so do the views of others', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    const other = watcher(driver, 'printer');
    driver.input(congestion(seen, true)).turn();
    seen.granted('printer', 10_000);
    expect(heard(seen)).toEqual([]);
    expect(heard(other)).toEqual(['printer watcher 10000 queue 0']);
  });

  test('S11 the core is not woken for what waits, and forgets it with the socket', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    driver.input(congestion(seen, true)).turn();
    const holder = driver.client('holder').connect();
    holder.granted('printer', 300_000);
    expect(driver.core.nextWake()).toBeGreaterThan(driver.now + 500);
    const late = congestion(seen, false);
    seen.drop();
    driver.input(late).turn();
    expect(heard(seen)).toEqual([]);
    seen.connect();
    seen.send(watch('printer'));
    expect(heard(seen), 'its next socket is none of that').toHaveLength(1);
  });

  test('S11 a watch that was given up meanwhile is not shown afterwards', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    driver.input(congestion(seen, true)).turn();
    driver.client('holder').connect().granted('printer');
    seen.send({ type: 'unwatch', request: requestId('watch printer') });
    driver.input(congestion(seen, false)).turn();
    expect(seen.take('view')).toEqual([]);
  });

  test('S11 a socket that speaks for nobody, or watches nothing, may be congested as well', () => {
    const driver = new CoreDriver();
    const client = driver.client().connect();
    driver.input({ kind: 'congestion', socket: socketId(99), congested: true }, congestion(client, true)).turn();
    client.send(watch('printer'));
    expect(client.take('view')).toEqual([]);
    driver.input(congestion(client, false)).turn();
    expect(heard(client)).toEqual(['printer free queue 0']);
  });
});

describe('R21 while a watch waits for its first view', () => {
  test('R21 its session is pinged every 500 ms, each ping names the newest frame, and the pace is as before afterwards', () => {
    const driver = new CoreDriver();
    const names = withStates(driver, 300);
    const client = driver.client().connect();
    client.answers = true;
    const from = driver.now;
    client.push(...names.map((name) => watch(name)));
    driver.turn();
    driver.input(congestion(client, true)).turn();
    expect(heard(client).length, 'most of them wait').toBeLessThan(10);
    const pings: unknown[] = [];
    for (let half = 1; half <= 4; half += 1) {
      // A frame in between that has no answer of its own: only the next ping shows that it was read.
      driver.pass(300);
      client.send(unwatch('none'));
      const { frame } = client;
      driver.pass(200);
      const { frame: named, nextMs } = client.only('ping');
      pings.push([driver.now - from, named === frame, nextMs]);
    }
    expect(pings).toEqual([500, 1_000, 1_500, 2_000].map((at) => [at, true, 500]));
    driver.input(congestion(client, false)).turn();
    driver.pass(100);
    expect(new Set(client.take('view').map(({ request }) => request)).size).toBeGreaterThan(290);
    // The one that was promised, and the next at the period of one that only stands by.
    driver.pass(400);
    expect(client.only('ping')).toMatchObject({ nextMs: 15_000 });
    driver.pass(14_900);
    expect(client.take('ping')).toEqual([]);
    driver.pass(200);
    expect(client.take('ping')).toHaveLength(1);
  });

  test.each<[string, (client: RawClient) => void]>([
    ['is given up', (client) => void client.send(unwatch('watch n1'))],
    ['is gone with its socket', (client) => void client.connect()],
  ])('R21 a watch that %s waits no more', (_, end) => {
    const driver = new CoreDriver();
    withStates(driver, 2);
    const client = watcher(driver, 'n0');
    client.answers = true;
    driver.input(congestion(client, true)).turn();
    client.send(watch('n1'));
    driver.pass(500);
    expect(client.take('ping')).toHaveLength(1);
    end(client);
    driver.pass(500);
    client.take('ping');
    driver.pass(10_000);
    expect(client.take('ping')).toEqual([]);
  });

  test('R21 one that is asked for again waits as well', () => {
    const driver = new CoreDriver();
    const client = watcher(driver, 'printer');
    client.answers = true;
    driver.input(congestion(client, true)).turn();
    driver.pass(600);
    expect(client.take('ping')).toEqual([]);
    client.send(watch('printer'));
    driver.pass(500);
    expect(client.take('ping')).toHaveLength(1);
  });
});

describe('S11 one turn', () => {
  test('S11 tells a socket 256 KiB of views, the rest in the turns that follow at once, each name once', () => {
    const driver = new CoreDriver();
    const names = withStates(driver, 10);
    const client = driver.client().connect();
    client.push(...names.map((name) => watch(name)));
    const turns: { readonly names: readonly string[]; readonly bytes: number; readonly dueNow: boolean }[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      driver.turn();
      const views = client.take('view');
      turns.push({
        names: views.flatMap((view) => view.views.map(({ name }) => name)),
        bytes: JSON.stringify(views).length,
        dueNow: (driver.core.nextWake() ?? Infinity) <= driver.now,
      });
    }
    expect(turns.map((told) => [told.names.length, told.dueNow])).toEqual([
      [4, true],
      [4, true],
      [2, false],
      [0, false],
    ]);
    expect(turns.flatMap((told) => told.names)).toEqual(names);
    expect(Math.max(...turns.map((told) => told.bytes))).toBeLessThanOrEqual(SOCKET_BYTES_PER_TURN + 1_024);
  });

  test('S11 shows in a later turn what is then: what changed meanwhile replaces what was not sent', () => {
    const driver = new CoreDriver();
    const names = withStates(driver, 10);
    const client = driver.client().connect();
    client.push(...names.map((name) => watch(name)));
    driver.turn();
    client.heard = [];
    driver.input({ kind: 'revoke', reference: 1, name: leaseName('n9'), fencingToken: null, now: true, by: 'x' });
    driver.settle();
    driver.pass(10);
    const last = client.take('view').filter(({ request }) => request === 'watch n9');
    expect(last.map(({ views }) => views[0]?.holders)).toEqual([[]]);
  });

  test('S11 tells all sockets together some MiB, and none of them waits for ever', () => {
    const watches = new Watches();
    const sockets = Array.from({ length: 60 }, (_, index) => socketId(index));
    for (const socket of sockets) watches.add(socket, requestId('w'), leaseName('n'), listeningMs(0));
    const bytes = 250_000;
    const told: number[][] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const now: number[] = [];
      watches.speak(
        listeningMs(turn),
        () => ({ view: null, news: '', bytes }),
        ({ seat }) => void now.push(seat.socket),
      );
      told.push(now);
    }
    expect(told.map((now) => now.length)).toEqual([34, 26, 0]);
    expect(34 * bytes).toBeLessThan(BYTES_PER_TURN + SOCKET_BYTES_PER_TURN);
    expect(told.flat()).toEqual(sockets);
  });

  test('costs nothing where nothing that is watched has changed, and a change its own watchers alone', () => {
    const watches = new Watches();
    for (let index = 0; index < 1_000; index += 1)
      watches.add(socketId(index % 10), requestId(`w${index}`), leaseName(`n${index % 500}`), listeningMs(0));
    const looked: string[] = [];
    const said: string[] = [];
    const turn = (now: number): void => {
      watches.speak(
        listeningMs(now),
        (name) => {
          looked.push(name);
          return { view: null, news: `${now}`, bytes: 100 };
        },
        ({ request }) => void said.push(request),
      );
    };
    turn(0);
    // Each name is worked out once for all who watch it.
    expect([looked.length, said.length]).toEqual([500, 1_000]);
    looked.length = 0;
    said.length = 0;
    watches.change(leaseName('elsewhere'), 'at-once');
    turn(10);
    expect([looked, said, watches.next]).toEqual([[], [], null]);
    watches.change(leaseName('n7'), 'in-time');
    turn(20);
    expect([looked, said, watches.next]).toEqual([[], [], 1_000]);
    turn(1_000);
    expect([looked, said, watches.next]).toEqual([['n7'], ['w7', 'w507'], null]);
  });
});
