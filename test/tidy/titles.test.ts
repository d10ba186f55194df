import { describe, expect, test } from 'vitest';
import { read, repositoryFiles, testSources } from './sources.ts';
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

/** The ids that the rules of a text begin with. */
const idsStated = (text: string): readonly string[] =>
  [...text.matchAll(/^- \*\*([PC]-\d+)\*\* /gm)].map(([, id = '']) => id);

/** What each conformance script says that it proves. */
const scripts = (): readonly string[] =>
  repositoryFiles()
    .filter((path) => /^test\/conformance\/.*\.jsonl$/.test(path))
    .flatMap((path) => read(path).split('\n'))
    .flatMap((line) => /"proves":(\[[^\]]*\])/.exec(line)?.[1] ?? []);

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

  test.each([
    ['What a client must do', 'P'],
    ['What a coordinator must do', 'C'],
  ])('each rule under "%s" of docs/PROTOCOL.md has an id, %s-1 and so on', (heading, letter) => {
    const rules = sectionUnder(read('docs/PROTOCOL.md'), heading);
    const withoutId = rules.split('\n').filter((line) => /\bMUST\b/.test(line) && !/^- \*\*[PC]-\d+\*\* /.test(line));
    expect(withoutId).toEqual([]);
    const stated = idsStated(rules);
    expect(stated.length).toBeGreaterThan(20);
    expect(stated).toEqual(stated.map((_, index) => `${letter}-${index + 1}`));
  });

  test('no MUST of docs/PROTOCOL.md stands outside of the rules that have ids', () => {
    const page = read('docs/PROTOCOL.md');
    const musts = (text: string): number => (text.match(/\bMUST\b/g) ?? []).length;
    expect(
      musts(sectionUnder(page, 'What a client must do')) + musts(sectionUnder(page, 'What a coordinator must do')),
    ).toBe(musts(page));
  });

  test('every id of docs/PROTOCOL.md is quoted by a title or a conformance script, and every id quoted exists', () => {
    const quoted = [...idsIn(allTitles(), /\bP-\d+\b/g), ...idsIn(scripts().join('\n'), /\b[PC]-\d+\b/g)];
    expect(
      differences(
        { name: 'docs/PROTOCOL.md', items: idsStated(read('docs/PROTOCOL.md')) },
        { name: 'the titles and scripts', items: quoted },
      ),
    ).toEqual([]);
    const promised = idsIn(scripts().join('\n'), /\bS\d+\b/g);
    expect(promised.filter((id) => !PROMISES.includes(id))).toEqual([]);
  });

  test('every rule for coordinators is proven by a script, not only by a test that knows the code', () => {
    const proven = idsIn(scripts().join('\n'), /\bC-\d+\b/g);
    const stated = idsStated(sectionUnder(read('docs/PROTOCOL.md'), 'What a coordinator must do'));
    expect(differences({ name: 'docs/PROTOCOL.md', items: stated }, { name: 'the scripts', items: proven })).toEqual(
      [],
    );
  });
});
