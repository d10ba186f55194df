import { describe, expect, test } from 'vitest';
import { addTotals, lastLine, totalsOf } from '../../../scripts/support/totals.ts';

const report = (more: object): string =>
  JSON.stringify({
    numPassedTests: 3,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 1,
    testResults: [],
    ...more,
  });

describe('the last line of npm test', () => {
  test('has the counts of the report, todos among the skipped', () => {
    expect(lastLine(totalsOf(report({})))).toBe('3 passed, 1 failed, 3 skipped');
  });

  test('counts a file that could not be loaded as a failure', () => {
    const testResults = [
      { status: 'failed', assertionResults: [] },
      { status: 'passed', assertionResults: [] },
    ];
    expect(totalsOf(report({ testResults })).failed).toBe(2);
  });

  test('does not count a file twice whose tests failed', () => {
    const testResults = [{ status: 'failed', assertionResults: [{ status: 'failed' }] }];
    expect(totalsOf(report({ testResults })).failed).toBe(1);
  });

  test('adds the steps up', () => {
    const step = { passed: 1, failed: 0, skipped: 2 };
    expect(lastLine(addTotals(step, step))).toBe('2 passed, 0 failed, 4 skipped');
  });
});
