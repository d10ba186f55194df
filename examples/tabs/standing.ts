import { Candidate } from './candidate.ts';
import { nextLabel } from './labels.ts';
import { followLife } from './life.ts';
import type { Log } from './log.ts';
import { Pulse } from './pulse.ts';
import type { Scene } from './scene.ts';
import { Diary } from './together/diary.ts';
import { Together } from './together/together.ts';

/** One candidate with all that goes with it, whatever it looks like. */
export interface Standing {
  readonly candidate: Candidate;
  readonly pulse: Pulse;
  readonly diary: Diary;
  readonly together: Together;
}

/** A sign of life at most so often, unless something changed. */
const SIGN_EVERY_MS = 900;

/** `draw` is called with what is new to see, `drawClock` for what runs with the clock. */
export function stand(log: Log): Standing {
  const together = new Together();
  const diary = new Diary(nextLabel(), (happening) => together.write(happening));
  const pulse = new Pulse();
  let candidate: Candidate | null = null;
  // Before the library listens to the same events: what it is asked here comes first.
  followLife(pulse, diary, log, () => candidate?.lastLease ?? null);
  candidate = new Candidate(diary, log, pulse);
  together.restWhenPutAway();
  const standing = { candidate, pulse, diary, together };
  giveSigns(standing);
  return standing;
}

function giveSigns({ candidate, pulse, diary, together }: Standing): void {
  let saidAtMs = 0;
  let said = '';
  pulse.onBeat = () => {
    candidate.beat();
    const atMs = Date.now();
    const { part, position } = candidate.scene();
    const isInSight = document.visibilityState === 'visible';
    const words = `${part} ${position} ${isInSight}`;
    if (words === said && atMs - saidAtMs < SIGN_EVERY_MS) return;
    [said, saidAtMs] = [words, atMs];
    together.here({ tab: diary.tab, label: diary.label, part, position, isInSight, atMs });
  };
}

/** Part of what is missing that the bar makes up in one frame: a renewal is seen to fill it. */
const FILL_RATIO = 0.2;
const CALM_MS = 500;

/** Draws what is new, and with each frame what runs with the clock; `filled` is how much of the bar is to be seen. */
export function keepDrawing(
  { candidate, pulse }: Standing,
  draw: (scene: Scene) => void,
  drawClock: (scene: Scene, filled: number) => void,
): void {
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)');
  let filled = 0;
  let part = '';
  const frame = (): void => {
    const scene = candidate.scene();
    // The clocks may say so before the library has had a turn to.
    if (scene.part !== part) draw(scene);
    part = scene.part;
    const goal = scene.leader?.filled ?? 0;
    filled = goal > filled && !isCalm.matches ? filled + (goal - filled) * FILL_RATIO : goal;
    drawClock(scene, filled);
    if (isCalm.matches) setTimeout(() => requestAnimationFrame(frame), CALM_MS);
    else requestAnimationFrame(frame);
  };
  draw(candidate.scene());
  candidate.follow(() => {
    pulse.beat();
    draw(candidate.scene());
  });
  requestAnimationFrame(frame);
}
