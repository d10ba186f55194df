import { Changes } from '../changes.ts';
import { isNumber, type Message } from '../json.ts';

/** What was seen of a client, in the order of the machine's monotonic clock. */
export type Seen =
  | { readonly kind: 'open' | 'close' | 'drop' | 'mute'; readonly atMs: number; readonly socket: number }
  /** A message of the client; `first`: it stands first in its frame, and `size` messages are in it. */
  | {
      readonly kind: 'in';
      readonly atMs: number;
      readonly socket: number;
      readonly message: Message;
      readonly first: boolean;
      readonly size: number;
    }
  | { readonly kind: 'out'; readonly atMs: number; readonly socket: number; readonly message: Message }
  /** A line of the command: `held NAME TOKEN`. */
  | {
      readonly kind: 'line';
      readonly atMs: number;
      readonly word: string;
      readonly name: string;
      readonly token: number;
    };

export type In = Extract<Seen, { kind: 'in' }>;
export type Out = Extract<Seen, { kind: 'out' }>;

export class History {
  readonly seen: Seen[] = [];
  readonly #changes = new Changes();

  add(seen: Seen): void {
    this.seen.push(seen);
    this.#changes.tell();
  }

  /** Something else has changed that whoever waits looks at. */
  look(): void {
    this.#changes.tell();
  }

  until<T>(look: () => T | null, withinMs: number): Promise<T | null> {
    return this.#changes.until(look, withinMs);
  }
}

/** When each frame of the client came: its stamp lies before that. */
export function framesOf(seen: readonly Seen[]): ReadonlyMap<number, number> {
  const frames = new Map<number, number>();
  for (const one of seen) {
    if (one.kind !== 'in' || !one.first) continue;
    const frame = one.message['frame'];
    if (isNumber(frame)) frames.set(frame, one.atMs);
  }
  return frames;
}
