import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that goes with the test. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every file of a folder with a hash of its bytes: two that are equal were not touched. */
export function fingerprint(folder: string): Record<string, string> {
  const entries = readdirSync(folder).map((name): [string, string] => {
    const path = join(folder, name);
    return [
      name,
      statSync(path).isDirectory() ? 'folder' : createHash('sha256').update(readFileSync(path)).digest('hex'),
    ];
  });
  return Object.fromEntries(entries);
}
