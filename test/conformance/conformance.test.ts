import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { COORDINATOR_COMMAND, requireFreshBuild } from '../real/support/built.ts';
import { clientRun, CLIENT_FOLDER } from './client/run.ts';
import { scenariosIn } from './client/scenario.ts';
import { ownCoordinator } from './own.ts';
import type { Outcome } from './play.ts';
import { COORDINATOR_FOLDER, run } from './run.ts';
import { scriptsIn } from './script.ts';

/** Both halves take their time waiting, so they are played beside each other. */
let halves: { readonly coordinator: Promise<readonly Outcome[]>; readonly client: Promise<readonly Outcome[]> };

const CHILD = `exec '${process.execPath}' '${join(CLIENT_FOLDER, 'child.ts')}'`;
const brokenOf = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes.flatMap(({ rule, problem }) => (problem === null ? [] : [`${rule}: ${problem}`]));

async function coordinatorHalf(): Promise<readonly Outcome[]> {
  const own = await ownCoordinator(COORDINATOR_COMMAND);
  try {
    return await run({ url: own.url, scripts: scriptsIn(COORDINATOR_FOLDER), jobs: 6, disturbing: true });
  } finally {
    await own.stop();
  }
}

beforeAll(() => {
  requireFreshBuild();
  halves = {
    coordinator: coordinatorHalf(),
    client: clientRun({ command: CHILD, scenarios: scenariosIn(CLIENT_FOLDER), jobs: 3 }),
  };
  // Whichever is looked at second must not reject unhandled.
  halves.client.catch(() => undefined);
});

describe('the conformance suite', () => {
  test('the built coordinator keeps every rule that a script plays', async () => {
    const outcomes = await halves.coordinator;
    expect(brokenOf(outcomes)).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(100);
  });

  test('the built client keeps every rule that the scripted coordinator plays', async () => {
    const outcomes = await halves.client;
    expect(brokenOf(outcomes)).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(25);
  });
});
