import { beforeEach, expect, test } from 'vitest';
import { instanceId } from '../../../../shared/ids.ts';
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
