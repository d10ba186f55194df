import type { Bench } from '../../../real/support/bench.ts';
import { Stage, type StagePlan } from '../../support/stage.ts';
import { story } from '../../support/story.ts';
import { runInRealTime } from './real-time.ts';

/** Plays a scene of a case, with the tabs closed at its end. What throws comes with the story of the run. */
export async function onStage(
  bench: Bench,
  scene: (stage: Stage) => Promise<void>,
  plan: Omit<StagePlan, 'bench'> = {},
): Promise<void> {
  await using stage = await Stage.open({ ...plan, bench });
  runInRealTime(stage.coordinator.pid);
  try {
    await scene(stage);
    await stage.closeTabs();
  } catch (cause) {
    const what = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    throw new Error(`${what}\n\nWhat happened:\n${story(bench.log.entries)}\n`, { cause });
  }
}
