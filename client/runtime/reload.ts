import { fencingToken, instanceId, journalId, leaseName, requestId, secret, sessionId } from '../../shared/ids.ts';
import { KEEP_MS_MAX, TTL_MS_MAX } from '../../shared/limits.ts';
import { durationMs } from '../../shared/time.ts';
import type { ReloadRecord, Restored } from '../core/reload.ts';
import { isPage, stamp } from './platform.ts';

/** Where a page leaves its record for the one that is loaded in its place: the session storage of its tab. */
export interface ReloadPlace {
  /** What was left, once; null where nothing was, or nothing that is of use any more. */
  readonly take: () => ReloadRecord | null;
  /** False where it cannot be left. */
  readonly put: (record: ReloadRecord) => boolean;
  /** The page goes on after all. */
  readonly drop: () => void;
}

/** Null where pages are not loaded again. Storage may be refused at every touch: that is a page that leaves nothing. */
export function reloadPlace(urls: readonly string[], namespace = ''): ReloadPlace | null {
  if (!isPage()) return null;
  const key = `leasehold ${urls.join()} ${namespace}`;
  return {
    take: () =>
      tried(null, () => {
        const text = sessionStorage.getItem(key);
        sessionStorage.removeItem(key);
        return recordIn(text, stamp().wall);
      }),
    put: (record) =>
      tried(false, () => {
        // Of another client of this page, which left it in this very turn.
        if (tried(null, () => recordIn(sessionStorage.getItem(key), stamp().wall))) return false;
        sessionStorage.setItem(key, JSON.stringify({ ...record, at: stamp().wall }));
        return true;
      }),
    drop: () => tried(undefined, () => sessionStorage.removeItem(key)),
  };
}

function tried<T>(otherwise: T, act: () => T): T {
  try {
    return act();
  } catch {
    // Refused, full, or no JSON of ours: as if there were no storage.
    return otherwise;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isWhole = (value: unknown, max: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;

/** Whoever can write into the storage of this origin is no enemy, but may be an older version, or a stranger to us. */
function recordIn(text: string | null, now: number): ReloadRecord | null {
  // An object of any kind, each field of which is looked at; `null` has none.
  const found = Object(JSON.parse(text ?? 'null')) as Readonly<Record<string, unknown>>;
  const { at, keepMs, session, left, journal, tokenMark, windowMs, asked } = found;
  if (!isWhole(at, Infinity) || !isWhole(keepMs, KEEP_MS_MAX) || Math.abs(now - at) > keepMs) return null;
  if (
    !isText(session) ||
    !isText(left) ||
    !isText(found['secret']) ||
    !isText(journal) ||
    !isWhole(windowMs, TTL_MS_MAX)
  )
    return null;
  if (!Array.isArray(asked) || !(tokenMark === undefined || isWhole(tokenMark, Infinity))) return null;
  const restored = asked.map(restoredIn);
  return {
    keepMs: durationMs(keepMs),
    session: sessionId(session),
    secret: secret(found['secret']),
    left: instanceId(left),
    journal: journalId(journal),
    tokenMark: tokenMark ? fencingToken(tokenMark) : undefined,
    windowMs: durationMs(windowMs),
    asked: restored.filter((one) => one !== null),
  };
}

function restoredIn(value: unknown): Restored | null {
  const { name, request, ttlMs, token } = Object(value) as Readonly<Record<string, unknown>>;
  if (!isText(name) || !isText(request) || !isWhole(ttlMs, TTL_MS_MAX)) return null;
  return {
    name: leaseName(name),
    request: requestId(request),
    ttlMs: durationMs(ttlMs),
    token: isWhole(token, Infinity) && token ? fencingToken(token) : undefined,
  };
}
