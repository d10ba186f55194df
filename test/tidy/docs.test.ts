import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codesPage } from '../../scripts/support/codes-page.ts';
import { CODES } from '../../shared/codes.ts';
import { CLIENT_FRAMES, COORDINATOR_FRAMES } from '../../shared/frames.ts';
import { differences } from './rules/compare.ts';
import { importsOf, type Import } from './rules/imports.ts';
import { layerOf } from './rules/layers.ts';
import { codesIn, linksOf, rowsUnder } from './rules/markdown.ts';
import { fieldsOfPage, fieldsOfTable } from './rules/protocol.ts';
import { foreignPackages, tracesIn } from './rules/traces.ts';
import { read, repositoryFiles, sources } from './sources.ts';

/** `a -> b` for each layer and what it imports: another layer or a package. */
function arrowsOf(imports: readonly Import[]): readonly string[] {
  return imports.flatMap((one) => {
    const [from, to] = [layerOf(one.from), layerOf(one.to) ?? one.to];
    return from === null || from === to ? [] : [`${from} -> ${to}`];
  });
}

/** The same as the table of layers has it: first cell the layer, last cell all that it imports. */
function arrowsOfPage(page: string): readonly string[] {
  return rowsUnder(page, 'Layers').flatMap((cells) => {
    const [from = ''] = codesIn(cells[0] ?? '');
    return codesIn(cells.at(-1) ?? '').map((to) => `${from} -> ${to}`);
  });
}

/** Names that a package.json has under `key`. */
function namesUnder(path: string, key: string): readonly string[] {
  const manifest: unknown = JSON.parse(read(path));
  const listed: unknown = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, key) : undefined;
  return typeof listed === 'object' && listed !== null ? Object.keys(listed) : [];
}

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/** Every package that a package.json of the repository asks for. */
const dependencies = (): readonly string[] =>
  ['package.json', 'client/package.json', 'server/package.json'].flatMap((path) =>
    KINDS.flatMap((key) => namesUnder(path, key)),
  );

describe('ARCHITECTURE.md', () => {
  test('its table of layers and the imports are the same', () => {
    const real = arrowsOf(sources().flatMap(importsOf));
    expect(
      differences(
        { name: 'ARCHITECTURE.md', items: arrowsOfPage(read('ARCHITECTURE.md')) },
        { name: 'the imports', items: real },
      ),
    ).toEqual([]);
  });

  test('a layer that imports more or less than its row says is found', () => {
    const page = '## Layers\n\n| a | b |\n| --- | --- |\n| `server/net/` | `shared/`, `ws` |\n';
    const imports = [
      { from: 'server/net/a.ts', line: 1, to: 'ws' },
      { from: 'server/net/a.ts', line: 2, to: 'node' },
    ];
    expect(
      differences({ name: 'the page', items: arrowsOfPage(page) }, { name: 'the code', items: arrowsOf(imports) }),
    ).toEqual([
      'server/net/ -> node is in the code and not in the page',
      'server/net/ -> shared/ is in the page and not in the code',
    ]);
  });

  test('every dependency has its sentence', () => {
    const rows = rowsUnder(read('ARCHITECTURE.md'), 'Dependencies');
    expect(
      differences(
        { name: 'ARCHITECTURE.md', items: rows.flatMap(([name = '']) => codesIn(name)) },
        { name: 'the package.json files', items: dependencies() },
      ),
    ).toEqual([]);
    expect(rows.filter((cells) => !/[a-z].*\.$/.test(cells.at(-1) ?? ''))).toEqual([]);
  });
});

describe('package.json', () => {
  test('the coordinator asks for what it imports, and nothing else', () => {
    const imported = sources()
      .filter((file) => file.path.startsWith('server/'))
      .flatMap(importsOf)
      .map((one) => one.to)
      .filter((to) => to !== 'node' && (to.startsWith('@') || !to.includes('/')));
    // The client comes with the coordinator; what takes leases from the command line will import it.
    const asked = namesUnder('server/package.json', 'dependencies').filter((name) => name !== 'leasehold');
    expect(
      differences({ name: 'the imports', items: imported }, { name: 'server/package.json', items: asked }),
    ).toEqual([]);
  });

  test('the client asks for nothing', () => {
    expect(KINDS.flatMap((key) => namesUnder('client/package.json', key))).toEqual([]);
  });

  test('the coordinator asks for the client at the version beside it', () => {
    const version = (path: string): unknown => Reflect.get(Object(JSON.parse(read(path))), 'version');
    expect(read('server/package.json')).toContain(`"leasehold": "${String(version('client/package.json'))}"`);
    expect(version('server/package.json')).toBe(version('client/package.json'));
  });
});

describe('docs/CODES.md', () => {
  test('it is what the registry prints', () => {
    expect(read('docs/CODES.md')).toBe(codesPage());
  });

  test('the page has a row for each code, with the place that `docsUrl` names', () => {
    const rows = codesPage()
      .split('\n')
      .filter((line) => line.startsWith('| <a '));
    expect(rows.map((row) => codesIn(row)[0])).toEqual(Object.keys(CODES));
    expect(rows.map((row) => /<a id="([^"]+)">/.exec(row)?.[1])).toEqual(Object.keys(CODES));
  });
});

describe('docs/PROTOCOL.md', () => {
  test.each([
    ['From client to coordinator', CLIENT_FRAMES],
    ['From coordinator to client', COORDINATOR_FRAMES],
  ])('%s: messages, fields and kinds are those of the table of frames', (title, table) => {
    const page = fieldsOfPage(read('docs/PROTOCOL.md'), title);
    expect(differences({ name: 'the page', items: page }, { name: 'the table', items: fieldsOfTable(table) })).toEqual(
      [],
    );
  });

  test('a field that the page lacks, has too much, or has of another kind is found', () => {
    const page =
      '## To\n\n### `bye`\n\n| field | kind | meaning |\n| --- | --- | --- |\n| `soon` | flag | x |\n| `pace` | count | x |\n';
    const table = {
      bye: { keepMs: { kind: 'duration', min: 0, max: 9, optional: true }, pace: { kind: 'flag' } },
    } as const;
    expect(
      differences(
        { name: 'the page', items: fieldsOfPage(page, 'To') },
        { name: 'the table', items: fieldsOfTable(table) },
      ),
    ).toEqual([
      'bye.keepMs: ms 0 to 9, optional is in the table and not in the page',
      'bye.pace: count is in the page and not in the table',
      'bye.pace: flag is in the table and not in the page',
      'bye.soon: flag is in the page and not in the table',
    ]);
  });
});

/** Links of a page that lead nowhere, given what exists: files, and the folders they lie in. */
function deadLinks(path: string, page: string, existing: ReadonlySet<string>): readonly string[] {
  return linksOf(page)
    .map((target) => posix.join(posix.dirname(path), target).replace(/\/$/, ''))
    .filter((target) => !existing.has(target))
    .map((target) => `${path} links to ${target}, which is not there`);
}

describe('links', () => {
  const files = repositoryFiles();
  const existing = new Set(
    files.flatMap((path) => [path, ...path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))]),
  );

  test('every link between pages leads somewhere', () => {
    const pages = files.filter((path) => path.endsWith('.md'));
    expect(pages.flatMap((path) => deadLinks(path, read(path), existing))).toEqual([]);
  });

  test('one that leads nowhere is found, a URL and a fragment are left alone', () => {
    const page = '[a](docs/NOWHERE.md#x) [b](docs/CODES.md) [c](https://example.org/) [d](#here) [e](docs/)';
    expect(deadLinks('README.md', page, existing)).toEqual(['README.md links to docs/NOWHERE.md, which is not there']);
  });
});

describe('what is kept', () => {
  const binary = /\.(png|jpg|ico|woff2|db)$/;

  test('no file holds a path of one machine or the name of a tool that wrote it', () => {
    const found = repositoryFiles()
      .filter((path) => !binary.test(path))
      .flatMap((path) => tracesIn(path, read(path)));
    expect(found).toEqual([]);
  });

  // Put together here, so that this file holds no trace itself.
  test.each([
    ['the folder of a person', ['see ', 'home', 'anna', 'x'].join('/')],
    ['a folder at the root', ['', 'work', 'x'].join('/')],
    ['the name of a tool', ['thanks to Clau', 'de'].join('')],
  ])('%s is found', (_, line) => {
    expect(tracesIn('planted.md', `first\n${line}\n`)).toHaveLength(1);
  });

  test('a relative path and a URL are no traces', () => {
    expect(tracesIn('planted.md', 'server/work/x https://example.org/home/a ./root/x')).toEqual([]);
  });

  test('package-lock.json takes every package from the public registry', () => {
    expect(foreignPackages(read('package-lock.json'))).toEqual([]);
    expect(foreignPackages('"resolved": "http://mirror.local/ws.tgz"')).toHaveLength(1);
  });

  test.each(['client', 'server'])('%s ships the licence of the repository', (side) => {
    expect(read(`${side}/LICENSE`)).toBe(read('LICENSE'));
  });

  test('.ci/run runs the test command of README.md', () => {
    const command = 'npm ci && npm test';
    expect(read('.ci/run')).toContain(`'${command}'`);
    expect(read('README.md')).toContain(command);
  });
});
