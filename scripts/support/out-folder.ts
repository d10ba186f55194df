import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Refusal } from './refusal.ts';

/** Makes `folder` and writes to it once, so that whoever needs it in an hour is told now that it cannot be. */
export function openOut(folder: string): void {
  const probe = join(folder, `.written-${process.pid}`);
  try {
    make(folder);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new Refusal(
      `--out ${folder} cannot be written to: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Of `--json`, before an hour of playing: what will be measured has to have a place. */
export function openFile(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'a' });
  } catch (error) {
    throw new Refusal(`--json ${file} cannot be written: ${String(error)}`);
  }
}

/** One folder after the other: under /proc the recursive mkdir of Node never ends. */
function make(folder: string): void {
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) return;
  if (there !== undefined) throw new Error(`${folder} is no folder`);
  make(dirname(folder));
  mkdirSync(folder);
}
