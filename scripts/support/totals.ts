/** How many tests of a run passed, failed and were skipped. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const addTotals = (a: Totals, b: Totals): Totals => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

export const lastLine = (totals: Totals): string =>
  `${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`;

/** Totals of vitest's JSON report. A file that could not be loaded has no tests and counts as one that failed. */
export function totalsOf(report: string): Totals {
  const parsed: unknown = JSON.parse(report);
  const numberAt = (key: string): number => {
    const value: unknown = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, key) : undefined;
    return typeof value === 'number' ? value : 0;
  };
  return {
    passed: numberAt('numPassedTests'),
    failed: numberAt('numFailedTests') + filesWithoutTests(parsed),
    skipped: numberAt('numPendingTests') + numberAt('numTodoTests'),
  };
}

function filesWithoutTests(report: unknown): number {
  const files: unknown = typeof report === 'object' && report !== null ? Reflect.get(report, 'testResults') : [];
  if (!Array.isArray(files)) return 0;
  return files.filter((file: unknown) => {
    if (typeof file !== 'object' || file === null || Reflect.get(file, 'status') !== 'failed') return false;
    const assertions: unknown = Reflect.get(file, 'assertionResults');
    return Array.isArray(assertions) && assertions.length === 0;
  }).length;
}
