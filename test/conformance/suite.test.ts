import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { COORDINATOR_COMMAND } from '../real/support/built.ts';
import { problemOf } from './channel.ts';
import { CLIENT_FOLDER } from './client/run.ts';
import { scenariosIn, scenariosOf } from './client/scenario.ts';
import { playScenario } from './client/stage.ts';
import { isList, isNumber, isRecord, type Json, type Message } from './json.ts';
import { filled, mismatch } from './match.ts';
import { ownCoordinator, type Own } from './own.ts';
import { play } from './play.ts';
import { proxyOf, type Elsewhere, type Worse } from './proxy.ts';
import { COORDINATOR_FOLDER } from './run.ts';
import { scriptsIn, scriptsOf } from './script.ts';

let own: Own;
beforeAll(async () => {
  own = await ownCoordinator(COORDINATOR_COMMAND);
});
afterAll(() => own.stop());

const lines = (...records: readonly object[]): string => records.map((record) => JSON.stringify(record)).join('\n');
const script = (rule: string) => {
  const found = scriptsIn(COORDINATOR_FOLDER).find((one) => one.rule.includes(rule));
  if (found === undefined) throw new Error(`no script has the rule ${rule}`);
  return found;
};

const plus = (value: Json | undefined, more: number): number => (isNumber(value) ? value : 0) + more;
const only =
  (type: string, change: Worse): Worse =>
  (message) =>
    message['type'] === type ? change(message) : message;
const eachHeld = (message: Message, change: (lease: Message) => Message): Message => {
  const { held } = message;
  return { ...message, held: isList(held) ? held.filter(isRecord).map(change) : [] };
};

/** What a coordinator could do wrong, and the script that has to see it. */
const WORSE: Readonly<Record<string, readonly [rule: string, worse: Worse]>> = {
  'a frame number rewritten to one that was never sent': [
    'a free name is granted at once',
    only('granted', (message) => ({ ...message, frame: plus(message['frame'], 7) })),
  ],
  'a grant anchored at an earlier frame': [
    'a free name is granted at once',
    only('granted', (message) => ({ ...message, frame: 1 })),
  ],
  'a longer window': [
    'tokens rise over all names',
    only('granted', (message) => ({ ...message, leftMs: plus(message['leftMs'], 1_000) })),
  ],
  'a window renewed by a resume': [
    'a resumed session has its leases',
    only('welcome', (message) => eachHeld(message, (lease) => ({ ...lease, leftMs: lease['ttlMs'] ?? 0 }))),
  ],
  'a lease left out of welcome': [
    'a resumed session has its leases',
    only('welcome', (message) => ({ ...message, held: [] })),
  ],
  'tokens that fall': [
    'tokens rise over all names',
    only('granted', (message) => ({
      ...message,
      fencingToken: 9_000_000_000_000_000 - plus(message['fencingToken'], 0),
    })),
  ],
  'an old socket that is not told': ['the newest dial replaces an older socket', only('error', () => null)],
  'another code': ['waitMs 0 decides at once', only('error', (message) => ({ ...message, code: 'queue-full' }))],
  'a write done twice': [
    'a write that is repeated',
    (() => {
      let count = 0;
      return only('stateSet', (message) => ({ ...message, version: plus(message['version'], (count += 1) - 1) }));
    })(),
  ],
  'a watch that misses news': [
    'a watch shows the name at once',
    only('view', (message) => (JSON.stringify(message).includes('fencingToken') ? null : message)),
  ],
  'pings that name no frame': [
    'a session is pinged at the pace',
    only('ping', (message) => ({ ...message, frame: 1 })),
  ],
};

describe('a coordinator that breaks a rule', () => {
  test.each(Object.keys(WORSE))('%s is found', async (name) => {
    const [rule, worse] = WORSE[name] ?? ['', (message: Message) => message];
    const honest = await proxyOf(own.url, (message) => message);
    const proxy = await proxyOf(own.url, worse);
    onTestFinished(() => {
      honest.close();
      proxy.close();
    });
    const [kept, broken] = await Promise.all([play(honest.url, script(rule)), play(proxy.url, script(rule))]);
    expect(kept.problem).toBeNull();
    expect(broken.problem).not.toBeNull();
  });
});

describe('a coordinator that breaks a rule of channels', () => {
  const inFirst: Elsewhere = (channel, message) => (message['request'] === 'of-b' ? 1 : channel);
  const never: Elsewhere = (channel, message) => (message['type'] === 'granted' ? 99 : channel);

  test.each<readonly [string, Elsewhere]>([
    ['an answer in the channel of another', inFirst],
    ['an answer in a channel that was never opened', never],
    ['an answer in channel 0', () => 0],
  ])('%s is found', async (_, elsewhere) => {
    const same: Worse = (message) => message;
    const [honest, proxy] = await Promise.all([proxyOf(own.url, same), proxyOf(own.url, same, elsewhere)]);
    onTestFinished(() => {
      honest.close();
      proxy.close();
    });
    const rule = script('two channels of a socket are two sessions');
    const [kept, broken] = await Promise.all([play(honest.url, rule), play(proxy.url, rule)]);
    expect(kept.problem).toBeNull();
    expect(broken.problem).not.toBeNull();
  });

  test.each([
    '{"channel":1,',
    '[]',
    '{"messages":[{}]}',
    '{"channel":0,"messages":[{}]}',
    '{"channel":1}',
    '{"channel":1,"messages":[]}',
    '{"channel":1,"messages":[{}],"close":1000,"reason":""}',
    '{"channel":1,"close":999,"reason":""}',
    '{"channel":1,"close":1000}',
  ])('%s is no envelope of a coordinator', (text) => {
    expect(problemOf(text)).toMatch(/^an envelope /);
  });
});

describe('a script', () => {
  const head = { rule: 'a free name is granted', proves: ['C-13'] };
  const hello = { do: 'hello', on: 'a' };
  const acquire = { do: 'send', on: 'a', message: { type: 'acquire', request: 'r', name: `\${run}/x`, ttlMs: 2_000 } };
  const problem = async (...steps: readonly object[]): Promise<string | null> => {
    const [made] = scriptsOf('planted.jsonl', lines(head, hello, ...steps));
    if (made === undefined) throw new Error('no script');
    return (await play(own.url, made)).problem;
  };

  test('one whose expectation is right passes', async () => {
    expect(await problem(acquire, { do: 'expect', on: 'a', message: { type: 'granted', ttlMs: 2_000 } })).toBeNull();
  });

  test('a wrong expectation is found, with its line, what was heard and what is wrong in it', async () => {
    const found = await problem(acquire, { do: 'expect', on: 'a', message: { type: 'granted', ttlMs: 2_001 } });
    expect(found).toMatch(/^planted\.jsonl:4 expected .*"ttlMs":2000.*: ttlMs is 2000, and has to be 2001$/);
  });

  test('an answer that does not come, one that must not, a close and a time are found', async () => {
    const view = { type: 'view', request: 'never' };
    expect(await problem({ do: 'expect', on: 'a', message: view, withinMs: 100 })).toContain(
      'within 100 ms; heard nothing',
    );
    expect(await problem(acquire, { do: 'nothing', on: 'a', forMs: 500 })).toContain('expected nothing like {}');
    expect(await problem({ do: 'closed', on: 'a', code: 1_000, withinMs: 100 })).toContain(
      'expected a close within 100 ms',
    );
    expect(await problem({ do: 'close', on: 'a' }, { do: 'closed', on: 'a', code: 4_400 })).toContain('has to be 4400');
    const late = { do: 'expect', on: 'a', message: { type: 'granted' }, since: 's', between: [2_000, 3_000] };
    expect(await problem({ ...acquire, as: 's' }, late)).toContain('has to lie between 2000 and 3000');
  });

  test('a refusal of what is waited for ends the waiting at once', async () => {
    const wrong = { ...acquire, message: { ...acquire.message, ttlMs: 1 } };
    const found = await problem(wrong, { do: 'expect', on: 'a', message: { type: 'granted', request: 'r' } });
    expect(found).toContain('"code":"bad-request"');
  });

  test.each([
    [head, { do: 'hop', on: 'a' }],
    [head, { do: 'wait', forMs: 1, on: 'a' }],
    [head, { do: 'expect', message: {} }],
    [{ ...head, proves: [] }, hello],
    [{ ...head, color: 1 }, hello],
    [hello],
  ])('%j is refused when it is read', (...records) => {
    expect(() => scriptsOf('planted.jsonl', lines(...records))).toThrow(/^planted\.jsonl:\d/);
    expect(() => scenariosOf('planted.jsonl', lines(...records))).toThrow(/^planted\.jsonl:\d/);
  });
});

describe('a matcher', () => {
  test.each<[Json, Json]>([
    [{ a: { $is: 'count' } }, { a: -1 }],
    [{ a: { $is: 'id' } }, { a: '' }],
    [{ a: { $above: 3 } }, { a: 3 }],
    [{ a: { $below: 3 } }, { a: 3 }],
    [{ a: { $between: [1, 2] } }, { a: 2.5 }],
    [{ a: { $absent: true } }, { a: 0 }],
    [{ a: { $not: 'x' } }, { a: 'x' }],
    [{ a: { $oneOf: [1, 2] } }, { a: 3 }],
    [{ a: { $length: 2 } }, { a: [1] }],
    [{ a: { $says: 'x' } }, { a: 'y' }],
    [{ a: { $bind: 'x' } }, {}],
    [{ a: [1] }, { a: [1, 2] }],
    [{ a: null }, {}],
  ])('%j does not match %j', (pattern, value) => {
    expect(mismatch(pattern, value)).toMatch(/^a is /);
  });

  test('one that is unknown is no match of anything', () => {
    expect(() => mismatch({ a: { $about: 3 } }, { a: 3 })).toThrow('no matcher is called $about');
    expect(() => filled(`\${nothing}`, new Map())).toThrow('nothing is bound to nothing');
  });
});

const MISBEHAVIOURS: Readonly<Record<string, readonly [rule: string, said: RegExp]>> = {
  'count-from-receipt': ['a grant that is late by 900 ms', /P-4, P-6: 1001 is believed in \d+ ms beyond its window/],
  'never-lost': ['belief ends when the coordinator vanishes', /P-4, P-6: 1001 is believed in/],
  'held-before-grant': ['a grant that is late by 900 ms', /P-5: 1001 is held, and no window/],
  'before-welcome': ['a grant that names an earlier frame', /P-2: list before the last part of welcome/],
  'no-pong': ['a lease is renewed at about two thirds', /P-12: ping 1 has no pong/],
  'one-frame-number': ['a lease is renewed at about two thirds', /P-1: frame 2 after frame 2/],
  'renew-late': [
    'a lease is renewed at about two thirds',
    /is renewed 1[67]\d\d ms after the anchor, not at about 1333 ms/,
  ],
  'release-first': ['a lease is renewed at about two thirds', /P-10: 1001 is believed in \d+ ms after its release/],
};

describe('a client that breaks a rule', () => {
  const outcomeOf = async (mode: string, rule: string) => {
    const scenario = scenariosIn(CLIENT_FOLDER).find((one) => one.rule.includes(rule));
    if (scenario === undefined) throw new Error(`no scenario has the rule ${rule}`);
    const command = `exec '${process.execPath}' '${join(CLIENT_FOLDER, 'misbehaving.ts')}' ${mode}`;
    return playScenario(command, scenario);
  };

  test('each is found by the scripted coordinator, and one that keeps the rule is not', async () => {
    const played = await Promise.all(
      Object.entries(MISBEHAVIOURS).map(
        async ([mode, [rule]]) => [mode, (await outcomeOf(mode, rule)).problem] as const,
      ),
    );
    for (const [mode, problem] of played) expect(problem ?? 'nothing', mode).toMatch(MISBEHAVIOURS[mode]?.[1] ?? /$^/);
    expect((await outcomeOf('none', 'a lease is renewed at about two thirds')).problem).toBeNull();
  });

  test('a command that ends, or prints nothing, breaks the rule and says why', async () => {
    const [scenario] = scenariosIn(CLIENT_FOLDER);
    if (scenario === undefined) throw new Error('no scenario');
    const steps = scenario.steps.map((step) => ({ ...step, fields: { ...step.fields, withinMs: 300 } }));
    const { problem } = await playScenario('echo no such client >&2; exit 3', { ...scenario, steps });
    expect(problem).toContain('the command has ended: no such client');
  });
});
