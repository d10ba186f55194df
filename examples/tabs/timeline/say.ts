/** The timeline in words: what the chart shows, for whoever reads it instead. Pure. */
import type { PauseKind } from '../together/happenings.ts';
import { reasonOf, secondsOf, shortToken } from '../words.ts';
import type { End, Pause, Reign, Timeline } from './model.ts';

export function endInWords(end: End | null): string {
  switch (end?.kind) {
    case undefined:
      return 'leads still';
    case 'given-back':
      return end.why === 'released' ? 'stepped down' : `stepped down: ${reasonOf(end.why)}`;
    case 'lost':
      return `lost it: ${reasonOf(end.why)}`;
    case 'unheard':
      return 'said nothing; its time ran out';
  }
}

const PAUSES: Readonly<Record<PauseKind, string>> = {
  frozen: 'was frozen by the browser',
  'put-away': 'was put away by the browser, for the way back',
  still: 'stood still: no line of its code ran',
  cut: 'had its network cut',
};
export const pauseInWords = (how: PauseKind): string => PAUSES[how];

/** One line of the table, which has every bar and every pause in it. */
export interface Row {
  readonly label: string;
  readonly token: string;
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly what: string;
}

/** Newest first. */
export function rowsOf({ lanes, reigns, pauses }: Timeline): readonly Row[] {
  const labelOf = (lane: string): string => lanes.find(({ id }) => id === lane)?.label ?? '?';
  const rows = [...reigns.map(reignRow), ...pauses.map((pause) => pauseRow(pause, labelOf(pause.lane)))];
  return rows.toSorted((a, b) => b.fromMs - a.fromMs);
}

function reignRow({ label, token, fromMs, toMs, end, knownAtMs }: Reign): Row {
  const late = toMs !== null && knownAtMs !== null && knownAtMs - toMs > 500;
  const what = late
    ? `led; ${endInWords(end)}; found out ${secondsOf(knownAtMs - toMs)} later`
    : `led; ${endInWords(end)}`;
  return { label, token: shortToken(token), fromMs, toMs, what: end === null ? endInWords(end) : what };
}

const pauseRow = ({ how, fromMs, toMs }: Pause, label: string): Row => ({
  label,
  token: '',
  fromMs,
  toMs,
  what: pauseInWords(how),
});

/** What the picture comes to, in a sentence or three. */
export function summaryOf({ reigns, gaps, doubledMs }: Timeline): string {
  const last = reigns.at(-1);
  if (last === undefined) return 'Nobody has led yet.';
  const times = reigns.length === 1 ? 'One reign so far.' : `${reigns.length} reigns so far.`;
  const twice = doubledMs === 0 ? 'Never two at once.' : `Two at once for ${Math.ceil(doubledMs)} ms!`;
  return [times, vacancyInWords(gaps), twice].join(' ');
}

/** Below this a change of hands is one moment to people. */
const BLINK_MS = 100;

function vacancyInWords(gaps: Timeline['gaps']): string {
  const closed = gaps.flatMap(({ fromMs, toMs }) => (toMs === null ? [] : [toMs - fromMs]));
  if (closed.length === 0) return 'No change of hands yet.';
  const longestMs = Math.max(...closed);
  return longestMs < BLINK_MS
    ? `Nobody led for at most ${Math.ceil(longestMs)} ms between two.`
    : `Nobody led for at most ${secondsOf(longestMs)} between two.`;
}
