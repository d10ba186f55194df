import { describe, expect, test } from 'vitest';
import { acquire, endAck, kinds, Lab, only, release, renew } from './support/lab.ts';

describe('a steal', () => {
  test('R1 ends the lease, moves its claim to the head, and is granted once the holder has acknowledged', () => {
    const lab = new Lab();
    const token = lab.granted('a', { lockDelayMs: 5_000 });
    lab.do(acquire('b'));
    expect(kinds(lab.do(acquire('c', { steal: true })))).toEqual(['ending', 'queued']);
    expect(only(lab.said, 'ending')[0]).toMatchObject({ session: 'a', code: 'stolen' });
    expect(only(lab.said, 'queued')[0]?.place.position).toBe(0);
    expect(kinds(lab.do(endAck('a', token)))).toEqual(['ended', 'grant-decided']);
    lab.flush();
    expect(lab.holder()).toBe('c');
  });

  test('R1 waits for the window of a holder that does not acknowledge, and for its lock-delay', () => {
    const lab = new Lab();
    lab.granted('a', { lockDelayMs: 5_000 });
    lab.do(acquire('c', { steal: true }));
    expect(kinds(lab.after(10_000))).toEqual(['ended']);
    expect(kinds(lab.after(5_000))).toEqual(['grant-decided']);
  });

  test('R24 a repeat of it steals nothing more', () => {
    const lab = new Lab();
    lab.granted('a');
    lab.do(acquire('b', { steal: true }));
    lab.after(10_000);
    lab.flush();
    expect(lab.holder()).toBe('b');
    expect(only(lab.do(acquire('b', { steal: true })), 'granted')[0]?.repeat).toBe(true);
    lab.do(acquire('c', { steal: true }));
    lab.do(acquire('c', { steal: true }));
    expect(only(lab.history, 'ending')).toHaveLength(2);
  });

  test('of a grant that is on its way takes it at once; that one stands where it stood', () => {
    const lab = new Lab();
    lab.do(acquire('a'));
    lab.do(acquire('b'));
    lab.take();
    expect(kinds(lab.do(acquire('c', { steal: true })))).toEqual(['grant-undone', 'queued', 'grant-decided']);
    expect(lab.queue('a', 'b')).toEqual(['a1', 'b1']);
    lab.arrive();
    lab.flush();
    expect(lab.holder()).toBe('c');
    expect(lab.restart().queue('a', 'b')).toEqual(['a1', 'b1']);
  });

  test('where nothing is held is a claim like any other', () => {
    const lab = new Lab();
    lab.do(release('a', lab.granted('a', { minHoldMs: 5_000 })));
    lab.do(acquire('b'));
    lab.do(acquire('c', { steal: true }));
    expect(lab.queue('b', 'c')).toEqual(['b1', 'c1']);
  });

  test('that does not wait, or has no room in the queue, leaves the holder alone', () => {
    const lab = new Lab({ queueMax: 1 });
    const token = lab.granted('a');
    lab.do(acquire('b'));
    expect(kinds(lab.do(acquire('c', { steal: true, waitMs: 0 })))).toEqual(['claim-ended']);
    expect(only(lab.do(acquire('c', { steal: true })), 'refused')[0]?.code).toBe('queue-full');
    expect(kinds(lab.do(renew('a', token)))).toEqual(['renewed']);
  });

  test('the latest of several stands first', () => {
    const lab = new Lab();
    lab.granted('a');
    lab.do(acquire('b', { steal: true }));
    lab.do(acquire('c', { steal: true }));
    expect(lab.queue('b', 'c')).toEqual(['c1', 'b1']);
  });
});
