import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChaosRun, Verdict } from '../run.ts';
import { keptOf } from './kept.ts';
import { pageOf } from './page.ts';
import { timelineOf } from './timeline.ts';

/** Writes `report.md`, `timeline.svg` and `run.json` into `folder`. */
export function writeReport(run: ChaosRun, verdict: Verdict, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.md'), pageOf(run, verdict));
  writeFileSync(join(folder, 'timeline.svg'), timelineOf(run, verdict));
  writeFileSync(join(folder, 'run.json'), keptOf(run, verdict));
}
