import { beforeEach, describe, expect, test } from 'vitest';
import { instanceId, leaseName, requestId, secret, sessionId } from '../../../../shared/ids.ts';
import { durationMs } from '../../../../shared/time.ts';
import { CoreDriver } from '../../../support/core-driver.ts';
import type { RawClient } from '../../../support/raw-client.ts';

/** Another instance that brings the last word of the one before it (docs/decisions/0024). */
let driver: CoreDriver;
let a: RawClient;

beforeEach(() => {
  driver = new CoreDriver();
  a = driver.client('a').connect();
});

const heir = (of: RawClient, label: string): RawClient => {
  const copy = driver.client(label);
  if (of.session === null || of.secret === null) throw new Error('it has a session');
  const left = instanceId(of.instance);
  return copy.connect({ resume: { session: of.session, secret: of.secret, left } });
};

test.each(['bound', 'away'])('R10 takes over a session (%s) whose bye it brings itself', (state) => {
  const { fencingToken } = a.granted('n');
  if (state === 'away') a.drop();
  const b = heir(a, 'heir');
  expect(b.only('welcome')).toMatchObject({
    resumed: true,
    session: 'session-1-1',
    held: [{ name: 'n', fencingToken }],
  });
  // Whoever brings the same is a copy; and the first is another instance now.
  expect(heir(a, 'copy').only('welcome')).toMatchObject({ resumed: false, note: 'in-use' });
  a.heard = [];
  expect(a.connect().only('welcome')).toMatchObject({ note: 'in-use', held: [] });
});

test('R10 R15 brings it in vain after a restart, since another may have been let in before it was stored', () => {
  a.granted('n');
  driver = driver.restart();
  expect(heir(a, 'heir').only('welcome')).toMatchObject({ resumed: false, note: 'in-use' });
  expect(driver.core.status.leases).toBe(1);
});

test('R10 the last word of an instance that does not have the session is worth nothing', () => {
  a.granted('n');
  if (a.session === null || a.secret === null) throw new Error('it has a session');
  const resume = { session: a.session, secret: a.secret, left: instanceId('somebody') };
  expect(driver.client('copy').connect({ resume }).only('welcome')).toMatchObject({ resumed: false, note: 'in-use' });
});

describe('a take-over that is on its way to the disk', () => {
  beforeEach(() => {
    a.granted('n');
    driver.disk = 'slow';
  });

  const left = () => ({
    session: a.session ?? sessionId(''),
    secret: a.secret ?? secret(''),
    left: instanceId(a.instance),
  });

  test.each(['bye', 'left'])('R15 is told of when it is durable (%s), and what came meanwhile behind it', (how) => {
    if (how === 'bye') a.send({ type: 'bye', keepMs: durationMs(2_000) });
    const b = driver.client('b').dialUp({ resume: left() });
    driver.settle().pass(1_000);
    driver.input({ kind: 'revoke', reference: 1, name: leaseName('n'), fencingToken: null, now: false, by: 'x' });
    driver.settle();
    expect(b.heard).toEqual([]);
    driver.finishAppend().settle();
    expect(b.heard.map(({ type }) => type)).toEqual(['welcome', 'ended']);
    // Its window counts from the reading of its hello, not from the disk.
    expect(b.only('welcome')).toMatchObject({ resumed: true, frame: 1, held: [{ name: 'n', leftMs: 30_000 }] });
  });

  test('R15 is told of to nobody by a coordinator that dies, and the next run knows nobody who heard of it', () => {
    const b = driver.client('b').dialUp({ resume: left() });
    driver.settle();
    driver = driver.restart();
    expect(b.frames).toEqual([]);
    // The journal still has the instance before, which nobody was told to replace.
    a.heard = [];
    expect(a.connect().only('welcome')).toMatchObject({ resumed: true });
  });

  test('R15 is told of over the newest socket alone, after however many failures of the disk', () => {
    driver.disk = 'full';
    const b = driver.client('b').dialUp({ resume: left() });
    driver.settle();
    b.dialUp({ resume: left() });
    driver.settle().pass(2_000);
    expect(b.heard).toMatchObject([{ type: 'error', code: 'replaced' }]);
    driver.disk = 'ok';
    driver.pass(1_000);
    expect(b.only('welcome')).toMatchObject({ resumed: true, frame: 2, held: [{ name: 'n' }] });
    b.send(b.acquire('m'));
    expect(b.only('granted')).toMatchObject({ name: 'm' });
  });

  test('P-2 what comes before its welcome is not read, and waits for no answer', () => {
    const b = driver.client('b').dialUp({ resume: left() });
    b.send({ type: 'list', request: requestId('r'), prefix: '' });
    driver.finishAppend().settle();
    expect(b.heard.map(({ type }) => type)).toEqual(['welcome']);
  });

  test('a socket that is gone meanwhile is spoken to no more', () => {
    const b = driver.client('b').dialUp({ resume: left() });
    driver.settle();
    b.drop();
    driver.finishAppend().settle();
    expect(b.frames).toEqual([]);
    expect(b.connect({ resume: left() }).only('welcome')).toMatchObject({ resumed: true, frame: 2 });
  });
});
