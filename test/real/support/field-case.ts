import { Bench, type Measured } from './bench.ts';

/** `ci` is short; `full` is the case as it was written. */
export type Size = 'ci' | 'full';

export interface FieldCase {
  readonly id: string;
  /** A rule in the present tense, with the promise that it shows. */
  readonly title: string;
  readonly run: (bench: Bench, size: Size) => Promise<void>;
}

export interface Played {
  readonly id: string;
  readonly title: string;
  readonly size: Size;
  readonly tookMs: number;
  readonly measured: readonly Measured[];
  /** What the oracles found, what was not as it is RIGHT, and what threw. Empty: the case passes. */
  readonly wrong: readonly string[];
}

export async function play(fieldCase: FieldCase, size: Size): Promise<Played> {
  const startedAt = performance.now();
  await using bench = new Bench();
  const wrong: string[] = [];
  try {
    await fieldCase.run(bench, size);
    await bench.finish();
  } catch (error) {
    wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  wrong.push(...bench.violations);
  for (const { what, value, right, ok } of bench.measured) if (!ok) wrong.push(`${what}: ${value}; RIGHT is ${right}`);
  if (bench.measured.length === 0) wrong.push('nothing was measured');
  const { id, title } = fieldCase;
  return { id, title, size, tookMs: performance.now() - startedAt, measured: bench.measured, wrong };
}
