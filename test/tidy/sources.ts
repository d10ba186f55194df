import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, isTypeScript, root } from '../../scripts/support/files.ts';
import { parsed, type Parsed } from './rules/parsed.ts';

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Every file of the repository that is kept or is about to be; without git, every file that is not made by a tool. */
export function repositoryFiles(): readonly string[] {
  if (!existsSync(join(root, '.git'))) return filesUnder('.', () => true);
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));
}

const cache = new Map<string, Parsed>();

function parsedFile(path: string): Parsed {
  const file = cache.get(path) ?? parsed(path, read(path));
  cache.set(path, file);
  return file;
}

/** Every TypeScript file of the repository, parsed. */
export const sources = (): readonly Parsed[] => repositoryFiles().filter(isTypeScript).map(parsedFile);

/** The machine of `scope: 'browser'` lies beside its adapter, which is loaded with it. */
const CORE = /^(shared\/|client\/core\/|server\/core\/|client\/browser\/machine\.ts$)/;
export const coreSources = (): readonly Parsed[] => sources().filter((file) => CORE.test(file.path));
export const testSources = (): readonly Parsed[] => sources().filter((file) => file.path.startsWith('test/'));
