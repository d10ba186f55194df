import { execFileSync } from 'node:child_process';
import { root } from './files.ts';

/**
 * The commit that is checked out, in short; `unknown` where git cannot tell: there is none, or the folder is no clone,
 * or somebody else's.
 */
export function presentCommit(folder: string = root): string {
  try {
    const said = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return said.trim();
  } catch {
    return 'unknown';
  }
}
