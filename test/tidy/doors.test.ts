import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TYPED_DOORS } from '../../scripts/support/doors.ts';
import { root } from '../../scripts/support/files.ts';

const ENDS_WITHIN_MS = 30_000;

/** What the import of a file did, as `import-door.ts` saw it; says so when the process did not end by itself. */
function importOf(path: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const args = [join(root, 'test/tidy/import-door.ts'), join(root, path)];
    execFile(process.execPath, args, { timeout: ENDS_WITHIN_MS }, (error, stdout, stderr) => {
      if (error?.killed === true) resolve([`the process lives on after the import of ${path}`]);
      else if (error !== null) reject(new Error(`${path} cannot be imported: ${stderr}`, { cause: error }));
      else resolve(linesOf(stdout));
    });
  });
}

function linesOf(stdout: string): readonly string[] {
  const done: unknown = JSON.parse(stdout.split('\n').at(-1) ?? '');
  return Array.isArray(done) ? done.map(String) : ['no list'];
}

function plant(name: string, code: string): string {
  mkdirSync(join(root, 'build/planted'), { recursive: true });
  writeFileSync(join(root, 'build/planted', name), code);
  return `build/planted/${name}`;
}

describe.concurrent('importing', () => {
  test.each([...TYPED_DOORS.client, ...TYPED_DOORS.server])('%s does nothing', async (door) => {
    expect(await importOf(door)).toEqual([]);
  });

  test.each([
    ['a timer', 'setTimeout(() => undefined, 1);'],
    ['a reading of the clock', 'export const started = Date.now();'],
    ['a random number', 'export const id = Math.random();'],
    ['a log line', `console.info('hello');`],
    ['a global', 'Object.assign(globalThis, { planted: 1 });'],
  ])('%s at module scope is found', async (what, code) => {
    expect(await importOf(plant(`${what.replaceAll(' ', '-')}.ts`, code))).toHaveLength(1);
  });
});
