/**
 * Installs what the tests need from the system: one line for each package. Where it may not (not root, not Debian,
 * `LEASEHOLD_NO_APT=1`) it says which tests are skipped and how to get them. Never an error: those tests are then
 * skipped with a reason, and `.ci/run` counts skips as failures.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { NEEDS, onPath, type Need } from './support/system.ts';

/** Another apt may hold the lock for as long as its own download takes. */
const LOCK_SECONDS = 300;

const APT = ['-q', '-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`];
const QUIET = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

function whyNot(): string | null {
  if (process.env['LEASEHOLD_NO_APT'] === '1') return 'LEASEHOLD_NO_APT=1 is set';
  if (!existsSync('/etc/debian_version') || onPath('apt-get') === null) return 'this is not a Debian system';
  return process.getuid?.() === 0 ? null : 'this is not root';
}

function apt(args: readonly string[]): string | null {
  const ran = spawnSync('apt-get', [...APT, ...args], { env: QUIET, encoding: 'utf8' });
  if (ran.status === 0) return null;
  const said = ran.stderr.trim().split('\n').at(-1) ?? '';
  return said === '' ? `apt-get ended with ${ran.status ?? ran.signal ?? 'an error'}` : said;
}

function skipped(need: Need, why: string): void {
  console.log(
    `setup: no ${need.command}: ${why}. Skipped: ${need.tests}. To run them: apt-get install ${need.package}`,
  );
}

const missing = NEEDS.filter((need) => onPath(need.command) === null);
for (const need of NEEDS) if (!missing.includes(need)) console.log(`setup: ${need.package} is there`);

const reason = missing.length === 0 ? null : (whyNot() ?? apt(['update']));
for (const need of missing) {
  const problem = reason ?? apt(['install', '-y', '--no-install-recommends', ...need.package.split(' ')]);
  if (problem === null) console.log(`setup: ${need.package} installed`);
  else skipped(need, problem);
}
