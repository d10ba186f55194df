import { describe, expect, test } from 'vitest';
import { read, testSources } from './sources.ts';
import { leftOut, titlesOf, vagueTitles } from './rules/titles.ts';
import { parsed } from './rules/parsed.ts';
import { differences } from './rules/compare.ts';
import { headingsUnder, sectionUnder } from './rules/markdown.ts';

const PROMISES = Array.from({ length: 11 }, (_, index) => `S${index + 1}`);
const planted = (code: string) => parsed('test/planted.test.ts', code);
const allTitles = (): string =>
  testSources()
    .flatMap(titlesOf)
    .map((title) => title.text)
    .join('\n');

/** Ids such as S3 or P-12 that stand in a text as words of their own. */
const idsIn = (text: string, pattern: RegExp): readonly string[] => [...new Set(text.match(pattern) ?? [])];

describe('test titles', () => {
  test('none is vague', () => {
    expect(testSources().flatMap(vagueTitles)).toEqual([]);
  });

  test.each([
    `test('a lease should end', f);`,
    `it.each([1])('renewal works', f);`,
    `describe(\`it works \${x}\`, f);`,
  ])('%s is refused', (code) => {
    expect(vagueTitles(planted(code))).toHaveLength(1);
  });

  test('no test is left out without a reason', () => {
    expect(testSources().flatMap(leftOut)).toEqual([]);
  });

  test.each([`test.only('a', f);`, `describe.skip('a', f);`, `test.skipIf(x)('a', f);`, `it.concurrent.only('a', f);`])(
    '%s is refused',
    (code) => {
      expect(leftOut(planted(code))).toHaveLength(1);
    },
  );

  test('a skip with a reason beside it is allowed', () => {
    expect(leftOut(planted(`// Without strace no disk can be slowed.\ntest.skipIf(x)('a', f);`))).toEqual([]);
  });

  test('every promise of docs/PROMISES.md is quoted', () => {
    const quoted = idsIn(allTitles(), /\bS\d+\b/g);
    expect(differences({ name: 'the promises', items: PROMISES }, { name: 'the titles', items: quoted })).toEqual([]);
  });

  test('docs/PROMISES.md has each promise once', () => {
    const promised = headingsUnder(read('docs/PROMISES.md'), 'The promises', 3).map((heading) =>
      heading.replace(/ .*$/, ''),
    );
    expect(promised).toEqual(PROMISES);
  });

  test('every MUST of docs/PROTOCOL.md has an id, and every id is quoted by a test', () => {
    const page = read('docs/PROTOCOL.md');
    const rules = sectionUnder(page, 'What a client must do');
    const withoutId = rules.split('\n').filter((line) => /\bMUST\b/.test(line) && !/^- \*\*P-\d+\*\* /.test(line));
    expect(withoutId).toEqual([]);
    const stated = [...rules.matchAll(/^- \*\*(P-\d+)\*\* /gm)].map(([, id = '']) => id);
    expect(stated).toEqual(stated.map((_, index) => `P-${index + 1}`));
    const quoted = idsIn(allTitles(), /\bP-\d+\b/g);
    expect(differences({ name: 'docs/PROTOCOL.md', items: stated }, { name: 'the titles', items: quoted })).toEqual([]);
  });
});
