import { inShort, isList, isNumber, isRecord, textOf, typeOf, type Json, type Message } from '../json.ts';
import { framesOf, type In, type Out, type Seen } from './history.ts';

/** A line comes through a pipe; the stop margin of a client is at least three times this. */
const PIPE_MS = 50;
/** How long a client may take for what it has to do at once: its machine may be busy. */
const SOON_MS = 1_000;

/** What a history shows against the rules that hold in every scenario. Knows nothing of how a client is made. */
export function judge(seen: readonly Seen[]): readonly string[] {
  return [
    ...sockets(seen),
    ...numbers(seen),
    ...dials(seen),
    ...beliefs(seen),
    ...renewals(seen),
    ...pongs(seen),
    ...endings(seen),
    ...refusedRenewals(seen),
  ];
}

const isIn = (one: Seen): one is In => one.kind === 'in';
const isOut = (one: Seen): one is Out => one.kind === 'out';

/** P-2: hello alone, and nothing before the last part of welcome. */
function sockets(seen: readonly Seen[]): readonly string[] {
  const state = new Map<number, 'new' | 'asked' | 'welcome'>();
  return seen.flatMap((one) => {
    if (isOut(one) && one.message['type'] === 'welcome' && one.message['more'] !== true)
      state.set(one.socket, 'welcome');
    if (!isIn(one)) return [];
    const before = state.get(one.socket) ?? 'new';
    if (before === 'new') state.set(one.socket, 'asked');
    if (before === 'new' && (one.message['type'] !== 'hello' || one.size > 1))
      return [`P-2: the first frame of a socket is ${typeOf(one.message)}, one of ${one.size} messages`];
    return before === 'asked' ? [`P-2: ${typeOf(one.message)} before the last part of welcome`] : [];
  });
}

/** P-1: frames are counted by 1 over all sockets; what was on its way to a socket that was cut is not seen. */
function numbers(seen: readonly Seen[]): readonly string[] {
  let [last, lossy] = [0, false];
  return seen.flatMap((one) => {
    if (one.kind === 'drop' || one.kind === 'close') lossy = true;
    if (!isIn(one)) return [];
    const { frame } = one.message;
    if (!one.first)
      return frame === undefined
        ? []
        : [`P-1: frame ${inShort(frame)} on a message that is not the first of its frame`];
    const before = last;
    const isNext = isNumber(frame) && (frame === before + 1 || (lossy && frame > before));
    if (isNumber(frame)) last = frame;
    lossy = false;
    return isNext ? [] : [`P-1: frame ${inShort(frame)} after frame ${before}`];
  });
}

/** P-3, P-15: the instance stays, the dial rises, the secret is in resume alone, and no pause is under 10 ms. */
function dials(seen: readonly Seen[]): readonly string[] {
  const problems: string[] = [];
  let [dial, instance, secret, openedMs]: [number, Json | undefined, Json | undefined, number] = [
    -1,
    undefined,
    undefined,
    -Infinity,
  ];
  for (const one of seen) {
    if (one.kind === 'open') {
      if (one.atMs - openedMs < 9) problems.push(`P-15: two dials within ${(one.atMs - openedMs).toFixed(1)} ms`);
      openedMs = one.atMs;
    }
    if (isOut(one) && one.message['secret'] !== undefined) secret = one.message['secret'];
    if (!isIn(one)) continue;
    const { resume, ...others } = one.message;
    if (secret !== undefined && inShort(others, Infinity).includes(inShort(secret)))
      problems.push('P-3: the secret outside of hello.resume');
    if (one.message['type'] !== 'hello') continue;
    if (!(Number(one.message['dial']) > dial)) problems.push(`P-3: dial ${inShort(one.message['dial'])} after ${dial}`);
    if (instance !== undefined && one.message['instance'] !== instance) problems.push('P-3: another instance');
    if (secret !== undefined && (!isRecord(resume) || resume['secret'] !== secret))
      problems.push('P-3: a hello that does not resume the session');
    dial = Number(one.message['dial']);
    instance = one.message['instance'];
  }
  return problems;
}

interface Telling {
  readonly atMs: number;
  readonly token: number;
  readonly frame: number;
  readonly leftMs: number;
  readonly ttlMs: number;
  readonly ceilingLeftMs: number;
}

/** Every message that told of a window, for each lease in it. */
function tellings(seen: readonly Seen[]): readonly Telling[] {
  return seen.filter(isOut).flatMap(({ atMs, message }) => {
    const listed = message['held'] ?? message['leases'];
    const leases: readonly Json[] = isList(listed) ? listed : [message];
    return leases.filter(isRecord).flatMap(({ fencingToken, leftMs, ttlMs, ceilingLeftMs }) =>
      isNumber(leftMs) && isNumber(fencingToken)
        ? [
            {
              atMs,
              token: fencingToken,
              frame: Number(message['frame']),
              leftMs,
              ttlMs: Number(ttlMs),
              ceilingLeftMs: Number(ceilingLeftMs),
            },
          ]
        : [],
    );
  });
}

interface Belief {
  readonly token: number;
  readonly fromMs: number;
  readonly toMs: number;
}

function believed(seen: readonly Seen[]): readonly Belief[] {
  const lines = seen.filter((one) => one.kind === 'line');
  const lastMs = seen.at(-1)?.atMs ?? 0;
  return lines.flatMap(({ word, token, atMs }, index) => {
    if (word !== 'held') return [];
    const end = lines.slice(index + 1).find((one) => one.token === token && one.word !== 'held');
    return [{ token, fromMs: atMs, toMs: end?.atMs ?? lastMs }];
  });
}

/** P-4, P-5, P-6, P-11: belief lies within windows that were told, counted from the frames that they name. */
function beliefs(seen: readonly Seen[]): readonly string[] {
  const frames = framesOf(seen);
  const told = tellings(seen);
  const over = new Map(
    seen
      .filter(isOut)
      .filter(({ message }) => message['type'] === 'ended')
      .map(({ message, atMs }) => [Number(message['fencingToken']), atMs]),
  );
  return believed(seen).flatMap(({ token, fromMs, toMs }) => {
    const problems: string[] = [];
    if ((over.get(token) ?? Infinity) < fromMs) problems.push(`P-11: ${token} is held after it was ended`);
    const windows = told
      .filter((one) => one.token === token && frames.has(one.frame))
      .map((one) => ({ atMs: one.atMs, endMs: (frames.get(one.frame) ?? 0) + one.leftMs }));
    const known = windows.filter(({ atMs }) => atMs <= fromMs);
    if (known.length === 0)
      return [...problems, `P-5: ${token} is held, and no window of a frame that was sent had been told`];
    let endMs = Math.max(...known.map((one) => one.endMs));
    if (fromMs > endMs)
      problems.push(`P-5: ${token} is held ${(fromMs - endMs).toFixed(0)} ms after its window was over`);
    for (const one of windows) {
      if (one.atMs > fromMs && one.atMs < Math.min(toMs, endMs + PIPE_MS)) endMs = Math.max(endMs, one.endMs);
    }
    if (toMs > endMs + PIPE_MS)
      problems.push(`P-4, P-6: ${token} is believed in ${(toMs - endMs).toFixed(0)} ms beyond its window`);
    return problems;
  });
}

/** A renewal goes out when 2/3 of a full window are over since its anchor, up to 5 % of the window earlier. */
function renewals(seen: readonly Seen[]): readonly string[] {
  const frames = framesOf(seen);
  const upset = seen.filter(
    (one) =>
      one.kind !== 'line' &&
      (one.kind === 'drop' || one.kind === 'mute' || one.kind === 'open' || one.kind === 'close'),
  );
  const spans = believed(seen);
  return tellings(seen).flatMap(({ atMs, token, frame, leftMs, ttlMs, ceilingLeftMs }) => {
    const anchorMs = frames.get(frame);
    if (anchorMs === undefined || leftMs < ttlMs || ceilingLeftMs <= leftMs) return [];
    const dueMs = anchorMs + leftMs - ttlMs / 3;
    const earlyMs = dueMs - ttlMs * 0.05 - PIPE_MS;
    const lateMs = dueMs + PIPE_MS + 150;
    const isQuiet = !upset.some((one) => one.atMs > anchorMs && one.atMs < lateMs);
    const isHeld = spans.some((span) => span.token === token && span.fromMs < earlyMs && span.toMs > lateMs);
    const isNewest = !tellings(seen).some((one) => one.token === token && one.atMs > atMs && one.atMs < earlyMs);
    if (!isQuiet || !isHeld || !isNewest) return [];
    const next = seen.filter(isIn).find((one) => one.atMs > atMs && names(one.message, token));
    if (next !== undefined && next.atMs >= earlyMs && next.atMs <= lateMs) return [];
    const when = next === undefined ? 'not at all' : `${(next.atMs - anchorMs).toFixed(0)} ms after the anchor`;
    return [`a window of ${ttlMs} ms is renewed ${when}, not at about ${(dueMs - anchorMs).toFixed(0)} ms`];
  });
}

const names = (message: Message, token: number): boolean => {
  const { type, leases } = message;
  return type === 'renew' && isList(leases) && leases.some((one) => isRecord(one) && one['fencingToken'] === token);
};

/** When a socket stopped to be of use. */
const overMs = (seen: readonly Seen[], socket: number): number =>
  seen.find((one) => (one.kind === 'drop' || one.kind === 'mute' || one.kind === 'close') && one.socket === socket)
    ?.atMs ??
  seen.at(-1)?.atMs ??
  0;

/** P-12. */
function pongs(seen: readonly Seen[]): readonly string[] {
  return seen.filter(isOut).flatMap(({ message, socket, atMs }) => {
    if (message['type'] !== 'ping' || overMs(seen, socket) < atMs + SOON_MS) return [];
    const pong = seen
      .filter(isIn)
      .find((one) => one.message['type'] === 'pong' && one.message['ping'] === message['ping']);
    return pong !== undefined && pong.atMs - atMs < SOON_MS
      ? []
      : [`P-12: ping ${inShort(message['ping'])} has no pong`];
  });
}

/** P-10, P-11: belief ends before endAck and release are sent, and an ending by an authority is acknowledged. */
function endings(seen: readonly Seen[]): readonly string[] {
  const problems: string[] = [];
  const beliefsOf = believed(seen);
  for (const one of seen) {
    const token = isIn(one) || isOut(one) ? Number(one.message['fencingToken']) : 0;
    if (isOut(one) && one.message['type'] === 'ended' && ['revoked', 'stolen'].includes(textOf(one.message['code']))) {
      const ack = seen
        .filter(isIn)
        .find(({ message }) => message['type'] === 'endAck' && message['fencingToken'] === token);
      if (ack === undefined && overMs(seen, one.socket) > one.atMs + SOON_MS)
        problems.push(`P-11: no endAck of ${token}`);
    }
    if (!isIn(one) || !['endAck', 'release'].includes(typeOf(one.message))) continue;
    const span = beliefsOf.find((belief) => belief.token === token);
    if (span !== undefined && span.fromMs < one.atMs && span.toMs > one.atMs + PIPE_MS * 2)
      problems.push(
        `P-10: ${token} is believed in ${(span.toMs - one.atMs).toFixed(0)} ms after its ${typeOf(one.message)}`,
      );
  }
  return problems;
}

/** P-14: what was refused for good is not asked for again. */
function refusedRenewals(seen: readonly Seen[]): readonly string[] {
  return seen.filter(isOut).flatMap(({ message, atMs }) => {
    const { type, leases } = message;
    if (type !== 'renewed' || !isList(leases)) return [];
    return leases.filter(isRecord).flatMap(({ code, fencingToken }) => {
      const again = seen
        .filter(isIn)
        .filter((one) => one.atMs > atMs + PIPE_MS && names(one.message, Number(fencingToken)));
      return code === undefined || again.length === 0
        ? []
        : [`P-14: ${inShort(fencingToken)} is renewed after ${inShort(code)}`];
    });
  });
}
