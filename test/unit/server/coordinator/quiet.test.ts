import { beforeEach, describe, expect, test } from 'vitest';
import { fencingToken, journalId } from '../../../../shared/ids.ts';
import { TOKENS_PER_SECOND } from '../../../../shared/limits.ts';
import { durationMs } from '../../../../shared/time.ts';
import { CoreDriver, WALL_START } from '../../../support/core-driver.ts';

const other = journalId('journal-0');
const tokenAt = (secondsFromNow: number) => fencingToken((WALL_START / 1_000 + secondsFromNow) * TOKENS_PER_SECOND);

let driver: CoreDriver;

beforeEach(() => {
  driver = new CoreDriver();
});

describe('quiet time', () => {
  test('S5 from the start of a run: claims queue and are told how long, then granted in order', () => {
    driver = new CoreDriver({ quietMs: 5_000 });
    const a = driver.client('a').connect();
    expect(a.only('welcome')).toMatchObject({ quietMs: 5_000 });
    driver.pass(1_000);
    a.send(a.acquire('n'), a.acquire('m', 30_000, { waitMs: durationMs(0) }));
    expect(a.only('queued')).toMatchObject({ behind: 'nobody', position: 0, quietMs: 4_000 });
    expect(a.only('error')).toMatchObject({ code: 'quiet', retryable: true, retryAfterMs: 4_000 });
    expect(driver.core.status.quietUntil).toBe(5_000);
    driver.pass(3_999);
    expect(a.take('granted')).toEqual([]);
    driver.pass(1);
    expect(a.take('granted')).toHaveLength(1);
    expect(driver.core.status.quietUntil).toBeNull();
    expect(driver.notes.map((note) => note.code)).toEqual(['quiet']);
  });

  test('S5 is stored, and starts anew in the next run until it was over once', () => {
    driver = new CoreDriver({ quietMs: 5_000 });
    driver.pass(3_000);
    driver = driver.restart();
    expect(driver.core.status.quietUntil).toBe(5_000);
    driver.pass(5_000);
    driver = driver.restart();
    expect(driver.core.status.quietUntil).toBeNull();
    expect(driver.core.mustListen).toBe(false);
  });

  test('S5 is stored as soon as the run has begun, also when nobody comes', () => {
    driver = new CoreDriver({ quietMs: 5_000 });
    expect(driver.core.nextWake()).toBe(0);
    driver.pass(1);
    driver = driver.restart();
    expect(driver.core.status.quietUntil).toBe(5_000);
    expect(new CoreDriver().core.nextWake()).toBeNull();
  });

  test('S5 a client that knows another journal brings one, for the window that it saw', () => {
    const a = driver.client('a').connect();
    driver.pass(2_000);
    driver.client('b').connect({ journal: other, windowMs: durationMs(30_000) });
    a.send(a.acquire('n'));
    expect(a.only('queued')).toMatchObject({ quietMs: 28_000 });
    driver.client('c').connect({ journal: other, windowMs: durationMs(10_000) });
    expect(driver.core.status.quietUntil).toBe(30_000);
    expect(driver.notes.map((note) => note.code)).toEqual(['quiet']);
    expect(driver.notes[0]?.text).toMatch(/journal-0.*journal-1.*28000 ms/);
  });

  test('S5 none where this run has listened for longer than that already', () => {
    driver.client('a').connect();
    driver.pass(29_000);
    driver.client('b').connect({ journal: other, windowMs: durationMs(29_000) });
    expect(driver.core.status.quietUntil).toBeNull();
    driver.client('c').connect({ journal: other });
    expect(driver.core.status.quietUntil).toBeNull();
  });

  test('S5 its own journal brings none', () => {
    driver
      .client('a')
      .connect({ journal: journalId('journal-1'), windowMs: durationMs(30_000), tokenMark: fencingToken(5) });
    expect(driver.core.status.quietUntil).toBeNull();
  });

  test('R15 a grant that is on its way when it begins is taken back, and made anew when it is over', () => {
    const a = driver.client('a').connect();
    a.answers = true;
    driver.disk = 'slow';
    a.send(a.acquire('n'));
    driver.client('b').connect({ journal: other, windowMs: durationMs(9_000) });
    driver.disk = 'ok';
    driver.finishAppend().settle();
    expect(a.take('granted')).toEqual([]);
    driver.pass(8_999);
    expect(a.take('granted')).toEqual([]);
    driver.pass(1);
    expect(a.take('granted')).toHaveLength(1);
    expect(driver.image.leases.size).toBe(1);
  });
});

describe('a token that is shown', () => {
  test('S2 lifts the mark: later grants are above it, over restarts, too', () => {
    const shown = tokenAt(3_600);
    const a = driver.client('a').connect({ tokenMark: shown });
    expect(a.granted('n').fencingToken).toBe(shown + 1);
    expect(driver.written('mark')).toEqual([{ kind: 'mark', fencingToken: shown }]);
    driver = driver.restart();
    const b = driver.client('b').connect();
    expect(b.granted('m').fencingToken).toBe(shown + 2);
  });

  test('S2 brings a quiet time for the window that came with it', () => {
    driver.client('a').connect({ tokenMark: tokenAt(3_600), windowMs: durationMs(20_000) });
    expect(driver.core.status.quietUntil).toBe(20_000);
  });

  test('S2 a day ahead is the most; more is refused, noted, and lifts nothing', () => {
    const a = driver.client('a').connect({ tokenMark: tokenAt(86_400) });
    expect(a.take('welcome')).toHaveLength(1);
    const b = driver
      .client('b')
      .connect({ tokenMark: fencingToken(tokenAt(86_400) + TOKENS_PER_SECOND + 1), windowMs: durationMs(20_000) });
    expect(b.only('error')).toMatchObject({ code: 'bad-token', param: 'tokenMark', retryable: false });
    expect([...b.closed.values()]).toEqual(['bad-request']);
    expect(driver.notes.map((note) => note.code)).toEqual(['bad-token']);
    expect(driver.core.status).toMatchObject({ quietUntil: null, sessions: 1 });
    expect(a.granted('n').fencingToken).toBe(tokenAt(86_400) + 1);
  });

  test('one that was granted here lifts nothing', () => {
    const a = driver.client('a').connect();
    const { fencingToken: mine } = a.granted('n');
    a.connect({ tokenMark: mine, journal: journalId('journal-1'), windowMs: durationMs(30_000) });
    expect(driver.written('mark')).toEqual([]);
    expect(driver.core.status.quietUntil).toBeNull();
  });
});
