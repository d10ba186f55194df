import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TYPED_DOORS } from '../../scripts/support/doors.ts';
import { root } from '../../scripts/support/files.ts';

const ENDS_WITHIN_MS = 10_000;

/** What the import of a file did, as `import-door.ts` saw it; rejects a process that did not end by itself. */
function importOf(path: string): readonly string[] {
  const ran = spawnSync(process.execPath, [join(root, 'test/tidy/import-door.ts'), join(root, path)], {
    encoding: 'utf8',
    timeout: ENDS_WITHIN_MS,
  });
  if (ran.signal !== null) return [`the process lives on after the import of ${path}`];
  if (ran.status !== 0) throw new Error(`${path} cannot be imported: ${ran.stderr}`);
  const done: unknown = JSON.parse(ran.stdout.split('\n').at(-1) ?? '');
  return Array.isArray(done) ? done.map(String) : ['no list'];
}

function plant(name: string, code: string): string {
  mkdirSync(join(root, 'build/planted'), { recursive: true });
  writeFileSync(join(root, 'build/planted', name), code);
  return `build/planted/${name}`;
}

describe('importing', () => {
  test.each([...TYPED_DOORS.client, ...TYPED_DOORS.server])('%s does nothing', (door) => {
    expect(importOf(door)).toEqual([]);
  });

  test.each([
    ['a timer', 'setTimeout(() => undefined, 1);'],
    ['a reading of the clock', 'export const started = Date.now();'],
    ['a random number', 'export const id = Math.random();'],
    ['a log line', `console.info('hello');`],
    ['a global', 'Object.assign(globalThis, { planted: 1 });'],
  ])('%s at module scope is found', (_, code) => {
    expect(importOf(plant('door.ts', code))).toHaveLength(1);
  });
});
