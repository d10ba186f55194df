import { expect, test } from 'vitest';
import { revokeProblem } from '../../../../server/net/revoke-options.ts';

test('S10 what an operator asks to be revoked is checked as a whole, so that no other lease ends by a slip', () => {
  expect(revokeProblem('n', {})).toBeNull();
  expect(revokeProblem('n', { now: true, fencingToken: 7, by: 'alice' })).toBeNull();
  expect(revokeProblem('n', { now: undefined, fencingToken: undefined, by: undefined })).toBeNull();
  const wrong: readonly (readonly [unknown, unknown, string, RegExp])[] = [
    ['', {}, 'name', /at least 1 byte/],
    [7, {}, 'name', /a name is a text, not 7/],
    ['n', null, 'options', /options is null/],
    ['n', { nwo: true }, 'nwo', /did you mean "now"/],
    ['n', { now: 'yes' }, 'now', /now is "yes"; it is true or false/],
    ['n', { fencingToken: null }, 'fencingToken', /fencingToken is null; it is a whole number from 1 to/],
    ['n', { fencingToken: 1.5 }, 'fencingToken', /1\.5/],
    ['n', { by: 'a\nb' }, 'by', /by is "a\\nb"; it is a text of at most 128 bytes without control characters/],
    ['n', { by: 'x'.repeat(129) }, 'by', /at most 128 bytes/],
  ];
  for (const [name, options, param, problem] of wrong)
    expect(revokeProblem(name, options)).toEqual({ param, problem: expect.stringMatching(problem) as string });
});
