import type { LeaseName, RequestId } from '../../../shared/ids.ts';
import { durationMs, later, type ListeningMs } from '../../../shared/time.ts';
import type { SocketId } from '../core-types.ts';
import { Deadlines, newTimer, type Timed } from '../table/deadlines.ts';

/** What a watch was shown last: when, and what it said beside the times that pass by themselves. */
interface Shown {
  readonly at: ListeningMs;
  readonly news: string;
}

export interface Watch extends Timed {
  readonly request: RequestId;
  readonly name: LeaseName;
  readonly seat: Seat;
  shown: Shown | null;
}

/** All that one socket watches: with the socket it is gone. */
interface Seat {
  readonly socket: SocketId;
  readonly watches: Map<RequestId, Watch>;
  /** In the order in which they came to be owed. `if-news`: only where it is not what was shown last. */
  readonly owed: Map<Watch, 'view' | 'if-news'>;
  /** Asked for, and not answered by a view yet. */
  readonly unanswered: Set<Watch>;
  /** Too much waits to be read by its peer: what is owed waits too, and is worked out only when it is spoken (S11). */
  congested: boolean;
}

/**
 * How soon the watchers of a name hear of a change: of its holders, token or state in the same turn; of a renewal and
 * of the length of the queue, which may change a thousand times a second, once a second.
 */
export type Urgency = 'at-once' | 'in-time';

/** A view ready to be said, and how large it is. `news`: all of it but the times that pass by themselves. */
export interface Look<View> {
  readonly view: View;
  readonly news: string;
  readonly bytes: number;
}

const IN_TIME_MS = durationMs(1_000);
/** What one socket is told in one turn: no more than its peer can take before it is seen whether it does. */
export const SOCKET_BYTES_PER_TURN = 262_144;
/** What all sockets are: a turn stays short, however many watch one large state. */
export const BYTES_PER_TURN = 8 * 1_048_576;

/**
 * Who watches what, and who is owed a view. A turn in which nothing that is watched has changed costs nothing, however
 * many watches there are; a change of a name costs its own watchers.
 */
export class Watches {
  readonly #seats = new Map<SocketId, Seat>();
  readonly #names = new Map<LeaseName, Set<Watch>>();
  readonly #changed = new Map<LeaseName, Urgency>();
  /** Owed because of what is told once a second. */
  readonly #inTime = new Deadlines<Watch>();
  /** Seats that are owed something and can be told it. */
  readonly #ready = new Set<Seat>();
  #size = 0;
  #spokenAt: ListeningMs | null = null;

  get size(): number {
    return this.#size;
  }

  /** When `speak` has something to do; null when never. */
  get next(): ListeningMs | null {
    return this.#ready.size > 0 ? this.#spokenAt : this.#inTime.next;
  }

  countOf(socket: SocketId): number {
    return this.#seats.get(socket)?.watches.size ?? 0;
  }

  find(socket: SocketId, request: RequestId): Watch | null {
    return this.#seats.get(socket)?.watches.get(request) ?? null;
  }

  /** Whether a request to watch still waits for its view: nothing else may name its frame meanwhile (R21). */
  hasUnanswered(socket: SocketId): boolean {
    return (this.#seats.get(socket)?.unanswered.size ?? 0) > 0;
  }

  /** A new watch is owed what there is to be seen now. */
  add(socket: SocketId, request: RequestId, name: LeaseName, now: ListeningMs): void {
    const seat = this.#seatOf(socket);
    const watch: Watch = { request, name, seat, shown: null, timer: newTimer(now) };
    seat.watches.set(request, watch);
    const others = this.#names.get(name);
    if (others === undefined) this.#names.set(name, new Set([watch]));
    else others.add(watch);
    this.#size += 1;
    this.ask(watch);
  }

  /** It was asked for, for the first time or again. */
  ask(watch: Watch): void {
    watch.seat.unanswered.add(watch);
    this.owe(watch);
  }

  owe(watch: Watch, what: 'view' | 'if-news' = 'view'): void {
    const { seat } = watch;
    if (what === 'view' || !seat.owed.has(watch)) seat.owed.set(watch, what);
    this.#inTime.clear(watch);
    if (!seat.congested) this.#ready.add(seat);
  }

  remove(watch: Watch): void {
    const { seat, name } = watch;
    seat.watches.delete(watch.request);
    seat.owed.delete(watch);
    seat.unanswered.delete(watch);
    if (seat.owed.size === 0) this.#ready.delete(seat);
    this.#inTime.clear(watch);
    const others = this.#names.get(name);
    others?.delete(watch);
    if (others?.size === 0) this.#names.delete(name);
    this.#size -= 1;
    this.#dropIfBare(seat);
  }

  /** The socket speaks for no session any more. */
  leave(socket: SocketId): void {
    const seat = this.#seats.get(socket);
    if (seat === undefined) return;
    for (const watch of seat.watches.values()) this.remove(watch);
    this.#seats.delete(socket);
  }

  congest(socket: SocketId, congested: boolean): void {
    const seat = this.#seatOf(socket);
    seat.congested = congested;
    if (congested) this.#ready.delete(seat);
    else if (seat.owed.size > 0) this.#ready.add(seat);
    this.#dropIfBare(seat);
  }

  /** Several changes of a turn are one. */
  change(name: LeaseName, urgency: Urgency): void {
    if (!this.#names.has(name)) return;
    if (urgency === 'at-once' || !this.#changed.has(name)) this.#changed.set(name, urgency);
  }

  /** Says what is owed, as it is now, as far as one turn goes; the rest is due at once. */
  speak<View>(now: ListeningMs, look: (name: LeaseName) => Look<View>, say: (watch: Watch, view: View) => void): void {
    this.#spokenAt = now;
    this.#oweChanges(now);
    if (this.#ready.size === 0) return;
    const seen = new Map<LeaseName, Look<View>>();
    const lookOnce = (name: LeaseName): Look<View> => {
      const found = seen.get(name) ?? look(name);
      seen.set(name, found);
      return found;
    };
    const ready = [...this.#ready];
    let bytes = 0;
    for (const seat of ready) {
      if (bytes >= BYTES_PER_TURN) return;
      // One that is owed more than a turn's share comes behind those that have not had theirs.
      this.#ready.delete(seat);
      bytes += speakTo(seat, now, lookOnce, say);
      if (seat.owed.size > 0) this.#ready.add(seat);
    }
  }

  #oweChanges(now: ListeningMs): void {
    for (const [name, urgency] of this.#changed) {
      for (const watch of this.#names.get(name) ?? []) {
        if (urgency === 'at-once') this.owe(watch);
        else this.#oweInTime(watch, now);
      }
    }
    this.#changed.clear();
    for (let due = this.#inTime.takeDue(now); due !== null; due = this.#inTime.takeDue(now)) this.owe(due, 'if-news');
  }

  #oweInTime(watch: Watch, now: ListeningMs): void {
    if (watch.seat.owed.has(watch)) return;
    const at = watch.shown === null ? now : later(watch.shown.at, IN_TIME_MS);
    if (at <= now) this.owe(watch, 'if-news');
    else this.#inTime.set(watch, at);
  }

  #seatOf(socket: SocketId): Seat {
    const found = this.#seats.get(socket);
    if (found !== undefined) return found;
    const made: Seat = { socket, watches: new Map(), owed: new Map(), unanswered: new Set(), congested: false };
    this.#seats.set(socket, made);
    return made;
  }

  #dropIfBare(seat: Seat): void {
    if (seat.watches.size === 0 && !seat.congested) this.#seats.delete(seat.socket);
  }
}

/** Returns how many bytes were said. */
function speakTo<View>(
  seat: Seat,
  now: ListeningMs,
  look: (name: LeaseName) => Look<View>,
  say: (watch: Watch, view: View) => void,
): number {
  let said = 0;
  for (const [watch, what] of seat.owed) {
    const { view, news, bytes } = look(watch.name);
    const isNews = what === 'view' || news !== watch.shown?.news;
    if (isNews && said > 0 && said + bytes > SOCKET_BYTES_PER_TURN) break;
    seat.owed.delete(watch);
    if (!isNews) continue;
    seat.unanswered.delete(watch);
    say(watch, view);
    watch.shown = { at: now, news };
    said += bytes;
  }
  return said;
}
