/** The panel "Who led": heads, chart, summary and table, drawn anew as time goes on. */
import { find } from '../find.ts';
import type { Together } from '../together/together.ts';
import { clockOf } from '../words.ts';
import { drawChart } from './chart.ts';
import { headOf } from './head.ts';
import { drawHeads } from './heads.ts';
import { drawLegend } from './legend.ts';
import { timelineOf, type Lane, type Timeline } from './model.ts';
import { rowsOf, summaryOf, type Row } from './say.ts';

const EVERY_MS = 100;
/** Where people asked for less motion. */
const CALM_EVERY_MS = 1_000;
/** A tab that was closed stays in sight for so long. */
const GONE_AFTER_MS = 60_000;
const LANES_MAX = 10;

/** Draws until the page ends; `mine` is the tab that looks, where the page is one. */
export function showTimeline(together: Together, mine: string | null): void {
  const paper = find('paper');
  const svg = paper.querySelector('svg');
  if (svg === null) throw new Error('there is no paper to draw on');
  drawLegend(find('legend'));
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)');
  let drawn: readonly unknown[] | null = null;
  let timeline = timelineOf([]);
  const draw = (): void => {
    const nowMs = Date.now();
    if (drawn !== together.happenings) {
      drawn = together.happenings;
      timeline = timelineOf(together.happenings);
      drawTable(find('rows'), rowsOf(timeline));
      write(find('story'), summaryOf(timeline));
    }
    const lanes = lanesInSight(timeline, nowMs);
    drawHeads(
      find('heads'),
      lanes.map((lane) => headOf(lane, timeline, together.heard, mine, nowMs)),
    );
    drawChart(svg, timeline, lanes, nowMs, Math.max(160, paper.clientWidth));
    // A frame, so that nothing is drawn where nobody looks; and a pause, since a pixel is a tenth of a second.
    setTimeout(() => requestAnimationFrame(draw), isCalm.matches ? CALM_EVERY_MS : EVERY_MS);
  };
  requestAnimationFrame(draw);
}

/** The tabs that are open, and those that were a moment ago. */
function lanesInSight({ lanes, reigns }: Timeline, nowMs: number): readonly Lane[] {
  const leads = (lane: Lane): boolean => reigns.some(({ lane: id, toMs }) => id === lane.id && toMs === null);
  const recent = lanes.filter((lane) => {
    if (lane.isElsewhere && !leads(lane)) return isRecent(lastOf(lane, reigns), nowMs);
    return lane.toMs === null || isRecent(lane.toMs, nowMs);
  });
  return recent.slice(-LANES_MAX);
}

const lastOf = (lane: Lane, reigns: Timeline['reigns']): number =>
  reigns.findLast((reign) => reign.lane === lane.id)?.toMs ?? lane.fromMs;
const isRecent = (atMs: number, nowMs: number): boolean => nowMs - atMs < GONE_AFTER_MS;

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

const ROWS_MAX = 60;

function drawTable(body: HTMLElement, rows: readonly Row[]): void {
  body.replaceChildren(
    ...rows.slice(0, ROWS_MAX).map(({ label, token, fromMs, toMs, what }) => {
      const row = document.createElement('tr');
      const name = document.createElement('th');
      name.scope = 'row';
      name.textContent = label;
      row.append(name, cell(token), timeCell(fromMs), timeCell(toMs), cell(what));
      return row;
    }),
  );
}

function cell(text: string): HTMLElement {
  const made = document.createElement('td');
  made.textContent = text;
  return made;
}

function timeCell(atMs: number | null): HTMLElement {
  if (atMs === null) return cell('now');
  const made = document.createElement('td');
  const time = document.createElement('time');
  time.dateTime = new Date(atMs).toISOString();
  time.textContent = clockOf(atMs);
  made.append(time);
  return made;
}
