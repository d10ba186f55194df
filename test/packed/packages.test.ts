import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/support/files.ts';
import { emptyFolder, must, pack, projectWith, removeFolders, run, start, type Side } from './support/packages.ts';

const tool = (name: string): string => join(root, 'node_modules/.bin', name);

let tarballs: Readonly<Record<Side, string>>;
let onlyClient: string;
let both: string;

beforeAll(() => {
  tarballs = pack(emptyFolder());
  onlyClient = projectWith([tarballs.client]);
  both = projectWith([tarballs.client, tarballs.server]);
}, 90_000);

afterAll(removeFolders);

const installed = (folder: string): readonly string[] =>
  readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));

describe.each(['client', 'server'] as const)('the tarball of %s', (side) => {
  test('publint --strict has nothing to say', () => {
    const ran = run(root, [tool('publint'), '--strict', tarballs[side]]);
    expect(ran.stdout).toContain('All good!');
    expect(ran.code).toBe(0);
  });

  test('its types resolve from every kind of ESM consumer', () => {
    const ran = run(root, [tool('attw'), tarballs[side], '--profile', 'esm-only', '--no-emoji']);
    expect(ran.code, ran.stdout).toBe(0);
  });

  test('it holds what is built, a licence and a page, and no sources', () => {
    const files = must(root, ['tar', '-tzf', tarballs[side]])
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, ''));
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js', 'bin/leasehold.js']),
    );
    expect(files.filter((path) => !/^(LICENSE|README\.md|package\.json|bin\/leasehold\.js|dist\/)/.test(path))).toEqual(
      [],
    );
    expect(files.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
    expect(files.some((path) => path.includes('test'))).toBe(false);
  });
});

describe('a project with only the client', () => {
  test('gets one package and no native module', () => {
    expect(installed(onlyClient)).toEqual(['leasehold']);
  });

  test("finds the shared worker's program, one file that imports nothing", () => {
    const path = must(onlyClient, ['node', '-p', `require.resolve('leasehold/shared-worker')`]);
    expect(path).toMatch(/node_modules\/leasehold\/dist\/shared-worker\.js\n$/);
    const text = readFileSync(join(onlyClient, 'node_modules/leasehold/dist/shared-worker.js'), 'utf8');
    expect([...text.matchAll(/\b(?:import|require)\s*\(|^\s*(?:import|export)\b|["']node:|\bfrom\s*["']/gm)]).toEqual(
      [],
    );
  });

  test('imports it and requires it', () => {
    expect(must(onlyClient, ['node', '-e', `import('leasehold').then((m) => console.log(typeof m.connect))`])).toBe(
      'function\n',
    );
    expect(
      must(onlyClient, ['node', '--input-type=commonjs', '-e', `console.log(typeof require('leasehold').connect)`]),
    ).toBe('function\n');
  });

  test('npx leasehold says which one command gives the coordinator', () => {
    const ran = run(onlyClient, ['npx', '--no-install', 'leasehold', 'dev']);
    expect(ran.code).not.toBe(0);
    expect(`${ran.stdout}${ran.stderr}`).toMatch(/npm (install|i) .*leasehold-server|npx .*leasehold-server/);
    expect(ran.stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
  });
});

describe('a project with both', () => {
  test('runs the command and takes a lease with the client', async () => {
    const coordinator = await start(both, [
      join(both, 'node_modules/.bin/leasehold'),
      'serve',
      '--port',
      '0',
      '--data',
      join(both, 'leases.db'),
    ]);
    const url = coordinator.line.replace('leasehold listening on http', 'ws');
    writeFileSync(
      join(both, 'take.js'),
      `import { connect } from 'leasehold';
       const client = connect(process.argv[2]);
       const lease = await client.acquire('printer');
       console.log(lease.name, Number.isSafeInteger(lease.fencingToken), await lease.release());
       await client.close();`,
    );
    expect(must(both, ['node', 'take.js', url])).toBe('printer true true\n');
    expect(await coordinator.stop()).toBe(0);
    expect(statSync(join(both, 'leases.db')).size).toBeGreaterThan(0);
  });

  test('imports the coordinator', () => {
    expect(
      must(both, ['node', '-e', `import('leasehold-server').then((m) => console.log(typeof m.createCoordinator))`]),
    ).toBe('function\n');
  });

  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
    ['preserve', 'bundler'],
  ])('type-checks with module %s and resolution %s, libraries checked too', (module, moduleResolution) => {
    writeConsumer(both, { module, moduleResolution });
    const ran = run(both, [tool('tsc'), '-p', join(both, 'tsconfig.json')]);
    expect(ran.stdout).toBe('');
    expect(ran.code).toBe(0);
  });

  test('a call that the types forbid is refused', () => {
    writeConsumer(both, { module: 'nodenext', moduleResolution: 'nodenext' }, `connect('ws://x', { ttl: 5 });`);
    expect(run(both, [tool('tsc'), '-p', join(both, 'tsconfig.json')]).stdout).toContain(`'ttl' does not exist`);
  });

  test.each(['leasehold', 'leasehold-server'])('the source maps of %s hold the sources that they lead to', (name) => {
    const folder = join(both, 'node_modules', name, 'dist');
    const maps = readdirSync(folder)
      .filter((file) => file.endsWith('.map'))
      .map((file) => sourcesOf(readFileSync(join(folder, file), 'utf8')));
    expect(maps.flatMap((map) => map.sources).length).toBeGreaterThan(10);
    expect(maps.filter((map) => map.sources.length !== map.contents.length)).toEqual([]);
  });
});

describe('Node 20', () => {
  test('the command says in one line which Node it needs', () => {
    const ran = run(both, [...node20(), join(both, 'node_modules/leasehold-server/bin/leasehold.js'), 'dev']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe('');
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    expect(ran.stderr).toMatch(/Node(\.js)? (>= ?)?22/);
  });
});

function sourcesOf(map: string): { readonly sources: readonly unknown[]; readonly contents: readonly unknown[] } {
  const parsed: unknown = JSON.parse(map);
  const listAt = (key: string): readonly unknown[] => {
    const list: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, key) : [];
    return Array.isArray(list) ? list : [];
  };
  return {
    sources: listAt('sources'),
    contents: listAt('sourcesContent').filter((content) => typeof content === 'string'),
  };
}

/** A program of a user that names what both packages export. */
function writeConsumer(folder: string, options: object, more = ''): void {
  const compilerOptions = {
    ...options,
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  writeFileSync(
    join(folder, 'consumer.ts'),
    `import { connect, type Lease } from 'leasehold';
     import { createCoordinator } from 'leasehold-server';
     export const work = (lease: Lease): number => lease.fencingToken;
     export const result: Promise<number> = connect('ws://127.0.0.1:7400').run('printer', work);
     export type Coordinator = Awaited<ReturnType<typeof createCoordinator>>;
     ${more}`,
  );
}

/** A Node 20 of this system, else this Node under that version: what counts is that the module is not loaded. */
function node20(): readonly string[] {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const program = join(folder, 'node');
    if (existsSync(program) && run(root, [program, '--version']).stdout.startsWith('v20.')) return [program];
  }
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
  return ['node', '--import', `data:text/javascript,${encodeURIComponent(pretend)}`];
}
