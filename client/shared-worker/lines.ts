import { SOCKET_PATH } from '../../shared/limits.ts';
import { Line, type Channel, type ChannelEvents, type MakeLineSocket } from './line.ts';

/** The lines of one worker, by coordinator: as few as can carry all channels. */
export class Lines {
  readonly #make: MakeLineSocket;
  readonly #lines = new Map<string, Set<Line>>();

  constructor(make: MakeLineSocket) {
    this.#make = make;
  }

  /** Throws what the WebSocket's constructor throws. */
  open(url: string, events: ChannelEvents): Channel {
    const key = coordinatorOf(url);
    const lines = this.#lines.get(key) ?? new Set();
    // What has cut one off has cut off the others, unless they were heard of since.
    const cutAt = Math.max(...[...lines].map(({ silentSince }) => silentSince ?? -Infinity));
    const line = [...lines].find(({ takes, livedAt }) => takes && livedAt >= cutAt) ?? this.#dial(key, url, lines);
    return line.open(events);
  }

  #dial(key: string, url: string, lines: Set<Line>): Line {
    const line = new Line(url, this.#make, () => {
      lines.delete(line);
      if (lines.size === 0) this.#lines.delete(key);
    });
    this.#lines.set(key, lines.add(line));
    return line;
  }
}

/** Without the segment that Firefox's tabs append after a failed dial. */
function coordinatorOf(url: string): string {
  const end = url.lastIndexOf(SOCKET_PATH) + SOCKET_PATH.length;
  return url.slice(0, end);
}
