/**
 * Builds both packages: one JavaScript file for each door, and the declarations that the doors reach.
 * `--if-stale` does nothing where `dist` is newer than every source. Declarations come from `build/types`, which
 * `tsc -b` fills; `--js` leaves them alone, and the size too: it is for starting what is here.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, transformSync, type BuildOptions, type OutputFile } from 'esbuild';
import { ALONE, DOORS, pageProgram, PAGES, staleness, TYPED_DOORS } from './support/doors.ts';
import { filesUnder, root } from './support/files.ts';

/** docs/decisions/0016 says why it is not less. */
const CLIENT_GZIP_BYTES_MAX = 27_150;
const CLIENT_INPUTS = /^(client|shared)\//;

const OPTIONS = {
  // The one file runs in pages too: a Node builtin in it is an error. Not minified, so that an error thrown from it can
  // be read; a page's bundler makes it small.
  client: { platform: 'neutral', minifySyntax: true },
  // Packages stay outside; `shared/` goes in.
  server: { platform: 'node', packages: 'external' },
} as const satisfies Record<'client' | 'server', BuildOptions>;

async function buildSide(side: 'client' | 'server'): Promise<void> {
  const doors = Object.entries(DOORS[side]);
  const files = [
    ...(await bundle(side, Object.fromEntries(doors.filter(([door]) => !ALONE.includes(door))), true)),
    ...(await bundle(side, Object.fromEntries(doors.filter(([door]) => ALONE.includes(door))), false)),
  ];
  replaceFiles(`${side}/dist`, files);
}

/** `splitting`: what doors share, and what they load later, become files of their own. */
async function bundle(
  side: 'client' | 'server',
  entryPoints: Readonly<Record<string, string>>,
  splitting: boolean,
): Promise<readonly OutputFile[]> {
  const result = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: `${side}/dist`,
    bundle: true,
    splitting,
    format: 'esm',
    target: 'es2022',
    sourcemap: true,
    sourcesContent: true,
    metafile: true,
    write: false,
    logLevel: 'warning',
    ...OPTIONS[side],
  });
  if (side === 'client') refuseForeignInputs(Object.keys(result.metafile.inputs));
  return result.outputFiles;
}

/** A page's program with the built client in it, and what lies beside it. Not minified: it is there to be read. */
async function buildPage(page: string): Promise<void> {
  const program = pageProgram(page);
  mkdirSync(join(root, dirname(program)), { recursive: true });
  for (const path of filesUnder(page, (part) => /\.(?:html|css)$/.test(part)))
    copyFileSync(join(root, path), join(root, 'server/dist', path));
  await build({
    absWorkingDir: root,
    entryPoints: [program.replace('server/dist/', '').replace(/\.js$/, '.ts')],
    outfile: program,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    // Without the project's own paths: the name leads to the built package, as it does for everybody.
    tsconfigRaw: {},
    logLevel: 'warning',
  });
}

function refuseForeignInputs(inputs: readonly string[]): void {
  const foreign = inputs.filter((input) => !CLIENT_INPUTS.test(input));
  if (foreign.length > 0)
    throw new Error(`the client's bundle takes in ${foreign.join(', ')}; it may hold client/ and shared/ only`);
}

/** Each file is put in place by a rename, so that a process that starts meanwhile reads the old one or the new one. */
function replaceFiles(folder: string, files: readonly OutputFile[]): void {
  mkdirSync(join(root, folder), { recursive: true });
  for (const file of files) {
    writeFileSync(`${file.path}.new`, file.contents);
    renameSync(`${file.path}.new`, file.path);
  }
  const wanted = new Set(files.map((file) => file.path));
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(root, folder, entry.name);
    if (entry.isFile() && !wanted.has(path)) rmSync(path, { force: true });
  }
}

/** Copies the declarations that the doors of a package reach, in the places that they have in the repository. */
function copyTypes(side: 'client' | 'server'): void {
  const reached = new Set<string>();
  // Nobody imports a worker's program, but who names it in an import has a compiler that asks for its types.
  const named = ALONE.flatMap((door) => DOORS[side][door] ?? []);
  const open = [...TYPED_DOORS[side], ...named].map((door) => door.replace(/\.ts$/, '.d.ts'));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const source = join(root, 'build/types', path);
    if (!existsSync(source)) throw new Error(`the types of ${side} lack ${path}: run "npm run types" first`);
    for (const [, specifier = ''] of readFileSync(source, 'utf8').matchAll(
      /(?:from|import\(|import)\s*['"](\.[^'"]+)\.ts['"]/g,
    )) {
      open.push(`${posix.join(posix.dirname(path), specifier)}.d.ts`);
    }
  }
  const target = join(root, side, 'dist/types');
  rmSync(target, { recursive: true, force: true });
  for (const path of reached) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), readFileSync(join(root, 'build/types', path)));
  }
}

/** Bytes that a page loads for the main door: the file and every chunk that it imports at once, minified, as gzip -9. */
function clientGzipBytes(): number {
  const loaded = new Set<string>();
  const open = ['index.js'];
  let bytes = 0;
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (loaded.has(name)) continue;
    loaded.add(name);
    const source = readFileSync(join(root, 'client/dist', name), 'utf8');
    const { code } = transformSync(source, { minify: true, format: 'esm', target: 'es2022' });
    bytes += gzipSync(code, { level: 9 }).length;
    for (const [, chunk = ''] of code.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) open.push(chunk);
  }
  return bytes;
}

function holdSize(): void {
  const bytes = clientGzipBytes();
  console.log(`client/dist/index.js: ${bytes} bytes minified and gzip of at most ${CLIENT_GZIP_BYTES_MAX}`);
  if (bytes > CLIENT_GZIP_BYTES_MAX)
    throw new Error(`the client's main door is ${bytes - CLIENT_GZIP_BYTES_MAX} bytes gzip over its ceiling`);
}

if (!process.argv.includes('--if-stale') || staleness() !== null) {
  await buildSide('client');
  await buildSide('server');
  for (const page of PAGES) await buildPage(page);
  if (!process.argv.includes('--js')) {
    copyTypes('client');
    copyTypes('server');
    holdSize();
  }
}
