import type { Outcome } from '../play.ts';
import { eachOf } from '../run.ts';
import type { Scenario } from './scenario.ts';
import { playScenario } from './stage.ts';

export const CLIENT_FOLDER = import.meta.dirname;

export interface ClientRunOptions {
  readonly command: string;
  readonly scenarios: readonly Scenario[];
  readonly jobs: number;
  readonly told?: (outcome: Outcome) => void;
}

export async function clientRun({ command, scenarios, jobs, told }: ClientRunOptions): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  await eachOf(scenarios, jobs, async (scenario) => {
    const outcome = await playScenario(command, scenario);
    outcomes.push(outcome);
    told?.(outcome);
  });
  return outcomes;
}
