/** Who led when, worked out from what the tabs wrote down. Pure: happenings in, bars out. */
import { inOrder } from '../together/chronicle.ts';
import type { Happening, PauseKind } from '../together/happenings.ts';

/** One tab. */
export interface Lane {
  readonly id: string;
  readonly label: string;
  readonly fromMs: number;
  /** Null while it is open. */
  readonly toMs: number | null;
  /** It wrote nothing here: a tab of another browser, or a process. */
  readonly isElsewhere: boolean;
}

/**
 * How a reign ended. `given-back`: the tab stepped down. `lost`: it stopped by itself, or was told. `unheard`: it said
 * nothing, and others saw that its time was over.
 */
export type End =
  | { readonly kind: 'given-back'; readonly why: string }
  | { readonly kind: 'lost'; readonly why: string }
  | { readonly kind: 'unheard' };

/** One lease: from its grant to the moment from which the tab no longer believed. */
export interface Reign {
  readonly lane: string;
  readonly label: string;
  readonly token: number;
  readonly fromMs: number;
  /** Null while it lasts. */
  readonly toMs: number | null;
  readonly end: End | null;
  /** When the tab found out, where its code stood still at the end; else the end itself. */
  readonly knownAtMs: number | null;
}

export interface Pause {
  readonly lane: string;
  readonly how: PauseKind;
  readonly fromMs: number;
  readonly toMs: number | null;
}

/** A time in which nobody led, between the first reign and now. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number | null;
}

export interface Timeline {
  /** In the order in which they were opened. */
  readonly lanes: readonly Lane[];
  /** In the order in which they began. */
  readonly reigns: readonly Reign[];
  readonly pauses: readonly Pause[];
  readonly gaps: readonly Gap[];
  /** For how long two tabs led at once: the whole point is that this is 0. */
  readonly doubledMs: number;
}

export function timelineOf(happenings: readonly Happening[]): Timeline {
  const ordered = happenings.toSorted(inOrder);
  const reigns = reignsOf(ordered);
  return {
    lanes: lanesOf(ordered, reigns),
    reigns,
    pauses: pausesOf(ordered),
    gaps: gapsOf(reigns),
    doubledMs: doubledMsOf(reigns),
  };
}

function lanesOf(ordered: readonly Happening[], reigns: readonly Reign[]): readonly Lane[] {
  const lanes = new Map<string, Lane>();
  for (const one of ordered) {
    const { tab: id, label, atMs } = one;
    const { fromMs = atMs, toMs = null } = lanes.get(id) ?? {};
    // Behind its farewell a page still tells how its lease ended.
    lanes.set(id, { id, label, fromMs, toMs: one.kind === 'closed' ? atMs : toMs, isElsewhere: false });
  }
  for (const { lane: id, label, fromMs } of reigns) {
    if (!lanes.has(id)) lanes.set(id, { id, label, fromMs, toMs: null, isElsewhere: true });
  }
  return [...lanes.values()].toSorted((a, b) => a.fromMs - b.fromMs);
}

/** `closed`: the page was put away, and gave it back before. */
const GIVEN_BACK: ReadonlySet<string> = new Set(['released', 'closed']);

/** What a tab wrote of its own reign counts; what others heard fills in where it wrote nothing. */
function reignsOf(ordered: readonly Happening[]): readonly Reign[] {
  const reigns = new Map<number, Reign>();
  for (const one of ordered) {
    if (one.kind !== 'led') continue;
    const { tab: lane, label, token, atMs: fromMs } = one;
    reigns.set(token, { lane, label, token, fromMs, toMs: null, end: null, knownAtMs: null });
  }
  for (const one of ordered) if (one.kind === 'heard') addHeard(reigns, one, ordered);
  for (const one of ordered) {
    if (one.kind !== 'ended') continue;
    const reign = reigns.get(one.token);
    if (reign === undefined) continue;
    const { why, knownAtMs } = one;
    const end: End = { kind: GIVEN_BACK.has(why) ? 'given-back' : 'lost', why };
    reigns.set(one.token, { ...reign, toMs: Math.max(one.atMs, reign.fromMs), end, knownAtMs });
  }
  // Tokens rise from grant to grant, so their order is that of the grants.
  return endedByOthers(
    [...reigns.values()].toSorted((a, b) => a.token - b.token),
    ordered,
  );
}

function addHeard(
  reigns: Map<number, Reign>,
  heard: Extract<Happening, { kind: 'heard' }>,
  ordered: readonly Happening[],
): void {
  const { token, by: label, sinceMs: fromMs } = heard;
  if (token === null || reigns.has(token)) return;
  // Its own word may come a moment later than that of those who were told.
  const own = ordered.findLast((one) => one.label === label)?.tab;
  const lane = own ?? `elsewhere ${label}`;
  reigns.set(token, { lane, label, token, fromMs, toMs: null, end: null, knownAtMs: null });
}

/** A reign without an end of its own is over when the next begins, or when somebody heard that nobody leads. */
function endedByOthers(reigns: readonly Reign[], ordered: readonly Happening[]): readonly Reign[] {
  return reigns.map((reign, index) => {
    if (reign.toMs !== null) return reign;
    const vacant = ordered.find((one) => one.kind === 'heard' && one.token === null && one.atMs > reign.fromMs);
    const toMs = Math.min(reigns[index + 1]?.fromMs ?? Infinity, vacant?.atMs ?? Infinity);
    if (toMs === Infinity) return reign;
    return { ...reign, toMs: Math.max(toMs, reign.fromMs), end: { kind: 'unheard' }, knownAtMs: toMs };
  });
}

function pausesOf(ordered: readonly Happening[]): readonly Pause[] {
  const over: Pause[] = [];
  const open = new Map<string, Pause>();
  const close = (key: string, toMs: number): void => {
    const pause = open.get(key);
    if (pause === undefined) return;
    open.delete(key);
    over.push({ ...pause, toMs });
  };
  for (const one of ordered) {
    const { tab: lane, atMs } = one;
    if (one.kind === 'stopped') {
      const key = `${lane} ${one.how}`;
      if (!open.has(key)) open.set(key, { lane, how: one.how, fromMs: atMs, toMs: null });
    } else if (one.kind === 'went-on') close(`${lane} ${one.how}`, atMs);
    else if (one.kind === 'closed') for (const key of open.keys()) if (key.startsWith(`${lane} `)) close(key, atMs);
  }
  return [...over, ...open.values()].toSorted((a, b) => a.fromMs - b.fromMs);
}

function gapsOf(reigns: readonly Reign[]): readonly Gap[] {
  const gaps: Gap[] = [];
  let ledToMs: number | null | undefined;
  for (const { fromMs, toMs } of reigns) {
    if (ledToMs !== undefined && ledToMs !== null && fromMs > ledToMs) gaps.push({ fromMs: ledToMs, toMs: fromMs });
    ledToMs = ledToMs === null || toMs === null ? null : Math.max(ledToMs ?? toMs, toMs);
  }
  if (typeof ledToMs === 'number') gaps.push({ fromMs: ledToMs, toMs: null });
  return gaps;
}

function doubledMsOf(reigns: readonly Reign[]): number {
  let doubledMs = 0;
  let ledToMs = -Infinity;
  for (const { fromMs, toMs } of reigns) {
    const endMs = toMs ?? Infinity;
    const overlapMs = Math.min(endMs, ledToMs) - fromMs;
    if (overlapMs > 0) doubledMs += overlapMs;
    ledToMs = Math.max(ledToMs, endMs);
  }
  return doubledMs;
}
