/** The page as a tab of its own: one candidate, and all that it knows. */
import { wireControls } from './controls.ts';
import { find } from './find.ts';
import { logInto } from './log.ts';
import { offerPreference } from './prefer.ts';
import { draw, drawClock } from './screen.ts';
import { keepDrawing, stand } from './standing.ts';
import { showTimeline } from './timeline/panel.ts';

export function showTab(): void {
  const log = logInto(find('log'));
  const standing = stand(log);
  const { candidate, together, diary } = standing;
  wireControls(standing, log, () => draw(candidate.scene()));
  keepDrawing(standing, draw, drawClock);
  offerPreference(candidate, together, log);
  showTimeline(together, diary.tab);
}
