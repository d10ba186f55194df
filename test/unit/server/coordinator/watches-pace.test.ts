import { describe, expect, test } from 'vitest';
import { durationMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import { heard, watch, watcher } from './support/watching.ts';

describe('what a watch shows in its own time', () => {
  test('a renewal at once when the last view is a second old, further ones once a second, as they are then', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const lease = holder.granted('printer', 10_000);
    const seen = watcher(driver, 'printer');
    driver.pass(1_500);
    const at: string[] = [];
    for (let turns = 0; turns < 30; turns += 1) {
      holder.send(holder.renew(lease));
      at.push(...heard(seen).map((view) => `${driver.now}: ${view}`));
      driver.pass(100);
      at.push(...heard(seen).map((view) => `${driver.now}: ${view}`));
    }
    expect(at).toEqual([
      '1500: printer holder 10000 queue 0',
      '2500: printer holder 9900 queue 0',
      '3500: printer holder 9900 queue 0',
      '4500: printer holder 9900 queue 0',
    ]);
  });

  test('the length of a queue likewise; a change of the holder in between is told at once, and counts', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const lease = holder.granted('printer', 10_000);
    const seen = watcher(driver, 'printer');
    const others = ['b', 'c', 'd'].map((label) => driver.client(label).connect());
    for (const other of others) other.send(other.acquire('printer', 10_000));
    expect(heard(seen)).toEqual([]);
    driver.pass(999);
    expect(heard(seen)).toEqual([]);
    driver.pass(1);
    expect(heard(seen)).toEqual(['printer holder 9000 queue 3']);
    driver.pass(500);
    holder.send(holder.release(lease));
    expect(heard(seen)).toEqual(['printer free queue 2', 'printer b 10000 queue 2']);
    others[1]?.send({ ...others[1].acquire('printer', 10_000, { request: 'c-1' }), type: 'cancel' });
    driver.pass(999);
    expect(heard(seen)).toEqual([]);
    driver.pass(1);
    expect(heard(seen)).toEqual(['printer b 9000 queue 1']);
  });

  test('what is decided and looks as before is not said again', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const lease = holder.granted('printer', 10_000);
    const waiter = driver.client('waiter').connect();
    waiter.send(waiter.acquire('printer', 10_000, { request: 'r' }));
    const seen = watcher(driver, 'printer');
    driver.pass(2_000);
    heard(seen);
    // A claim asked for again, one that does not wait, a refused renewal.
    waiter.send(waiter.acquire('printer', 10_000, { request: 'r' }));
    waiter.send(waiter.acquire('printer', 10_000, { waitMs: durationMs(0) }), waiter.renew(lease));
    driver.pass(2_000);
    expect(heard(seen)).toEqual([]);
  });

  test('S5 a renewal after a restart is shown when what it waits for is durable', () => {
    const first = new CoreDriver();
    const holder = first.client('holder').connect();
    const lease = holder.granted('printer', 10_000);
    const driver = first.restart();
    // Silence is stored first, so that the renewal waits for the disk.
    driver.pass(2_000);
    const seen = watcher(driver, 'printer');
    holder.connect();
    driver.disk = 'slow';
    holder.send(holder.renew(lease));
    driver.pass(3_000);
    expect(heard(seen)).toEqual([]);
    driver.finishAppend().settle();
    expect(heard(seen)).toEqual(['printer holder 7000 queue 0']);
  });

  test('the last token is shown no longer when the write that kept it in mind could not be stored', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const lease = holder.granted('printer', 10_000);
    const seen = watcher(driver, 'printer');
    driver.disk = 'slow';
    holder.send(holder.setState(lease, 1), holder.release(lease));
    expect(seen.only('view').views[0]?.lastFencingToken).toBe(lease.fencingToken);
    driver.finishAppend(false).turn();
    expect(seen.only('view').views).toEqual([{ name: 'printer', holders: [], queue: 0 }]);
  });

  test('a repeated claim counts as a renewal', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    holder.send(holder.acquire('printer', 10_000, { request: 'r' }));
    const seen = watcher(driver, 'printer');
    driver.pass(1_500);
    holder.send(holder.acquire('printer', 10_000, { request: 'r' }));
    expect(heard(seen)).toEqual(['printer holder 10000 queue 0']);
  });

  test('a claim that is granted and waits for the disk has left the queue', () => {
    const first = new CoreDriver();
    first.client('holder').connect().granted('printer', 5_000);
    const waiter = first.client('waiter').connect();
    waiter.send(waiter.acquire('printer', 30_000));
    // Neither is heard from in the next run: the lease ends, the claim is passed over.
    const driver = first.restart();
    const seen = watcher(driver, 'printer');
    driver.pass(7_000);
    expect(heard(seen)).toEqual(['printer free queue 1']);
    driver.disk = 'slow';
    waiter.connect();
    expect(heard(seen)).toEqual(['printer free queue 0']);
  });

  test('a renewal and a state in one turn are told at once, whichever comes first', () => {
    const driver = new CoreDriver();
    const holder = driver.client('holder').connect();
    const lease = holder.granted('printer', 10_000);
    const other = driver.client('other').connect();
    const seen = watcher(driver, 'printer');
    driver.disk = 'slow';
    holder.send(holder.setState(lease, 1));
    driver.finishAppend();
    // In the turn in which the state is durable a claim comes, before and behind it.
    other.push(other.acquire('printer'));
    driver.turn();
    expect(heard(seen)).toEqual(['printer holder 10000 queue 1 state 1']);
    driver.finishAppend().turn();
    holder.send(holder.setState(lease, 2));
    other.push(other.acquire('printer'));
    driver.finishAppend().turn();
    expect(heard(seen)).toEqual(['printer holder 10000 queue 2 state 2']);
  });

  test('what is asked for again is told in any case, also where it was owed if it were news', () => {
    const driver = new CoreDriver();
    const seen = watcher(driver, 'printer');
    const { socket } = seen;
    if (socket === null) throw new Error('it has a socket');
    driver.pass(1_500);
    driver.input({ kind: 'congestion', socket, congested: true }).turn();
    const other = driver.client('other').connect();
    driver.disk = 'slow';
    other.push(other.acquire('printer', 10_000, { request: 'r' }));
    driver.turn();
    other.send({ ...other.acquire('printer', 10_000, { request: 'r' }), type: 'cancel' });
    seen.send(watch('printer'));
    driver.input({ kind: 'congestion', socket, congested: false }).turn();
    expect(heard(seen)).toEqual(['printer free queue 0']);
  });
});
