/** What stands beside a lane. Pure. */
import { SILENT_AFTER_MS, type Presence } from '../together/presence.ts';
import { inLine, spanOf } from '../words.ts';
import type { Lane, Timeline } from './model.ts';

export interface Head {
  readonly label: string;
  readonly words: string;
  readonly leads: boolean;
  readonly isMine: boolean;
  readonly isGone: boolean;
}

/** `mine` is the tab that looks; `heard` the last sign of life of each. */
export function headOf(
  lane: Lane,
  { reigns, pauses }: Timeline,
  heard: ReadonlyMap<string, Presence>,
  mine: string | null,
  nowMs: number,
): Head {
  const leads = reigns.some((reign) => reign.lane === lane.id && reign.toMs === null);
  const how = pauses.findLast((pause) => pause.lane === lane.id && pause.toMs === null)?.how;
  const head = { label: lane.label, leads, isMine: lane.id === mine, isGone: lane.toMs !== null };
  const presence = heard.get(lane.id);
  const silentMs = presence === undefined ? 0 : nowMs - presence.atMs;
  const words = (): string => {
    if (lane.toMs !== null) return 'closed';
    if (how === 'frozen') return 'frozen';
    if (how === 'put-away') return 'put away';
    if (silentMs > SILENT_AFTER_MS && lane.id !== mine) return `silent for ${spanOf(silentMs)}`;
    if (how === 'cut') return leads ? 'leads, network cut' : 'network cut';
    if (leads) return lane.isElsewhere ? 'leads, elsewhere' : 'leads';
    if (lane.isElsewhere) return 'elsewhere';
    const position = presence?.position ?? null;
    return position === null ? 'not in line' : inLine(position);
  };
  return { ...head, words: words() };
}
