import { checkMessage } from '../../shared/frame-check.ts';
import type { FrameTable } from '../../shared/frame-table.ts';
import { KEEP_MS_MAX, TTL_MS_MAX } from '../../shared/limits.ts';
import type { ReloadRecord } from '../core/reload.ts';
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

/** Whoever can write into the storage of this origin is no enemy, but may be an older version, or a stranger to us. */
function recordIn(text: string | null, now: number): ReloadRecord | null {
  const found = checkMessage(RECORD, { ...(JSON.parse(text ?? 'null') as object), type: 'left' });
  if (!found.ok) return null;
  const { type: _, at, ...record } = found.message;
  return Math.abs(now - at) > record.keepMs ? null : record;
}

const whole = { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER } as const;
const ttlMs = { kind: 'duration', min: 0, max: TTL_MS_MAX } as const;
const token = { kind: 'token', optional: true } as const;
const request = { kind: 'id', of: 'request' } as const;
/** A record is looked at as what comes from the network is. */
const RECORD = {
  left: {
    at: whole,
    keepMs: { kind: 'duration', min: 0, max: KEEP_MS_MAX },
    session: { kind: 'id', of: 'session' },
    secret: { kind: 'id', of: 'secret' },
    left: { kind: 'id', of: 'instance' },
    journal: { kind: 'id', of: 'journal' },
    tokenMark: token,
    windowMs: ttlMs,
    asked: {
      kind: 'list',
      max: Infinity,
      item: { kind: 'record', fields: { name: { kind: 'name' }, request, ttlMs, token } },
    },
  },
} as const satisfies FrameTable;
