import type { Happened } from '../history.ts';
import { eventsOf, instant, type Of } from './reading.ts';

/** A claim as one session of its client has it at the coordinator. */
interface Standing {
  readonly claim: string;
  readonly session: string;
  readonly name: string;
  /** Null where it came in an earlier run: what of the order of then was on the disk is not known. */
  arrival: number | null;
  waits: boolean;
}

type Asked = ReadonlyMap<string, Pick<Of<'claimed'>, 'priority' | 'steals' | 'waitMs'>>;

/**
 * S8: claims are granted in the order in which they came, higher priority first. It judges only where nothing excuses:
 * whoever was overtaken waited, and its session was there. One that steals may stand before all; one try never waits.
 */
export function overtakenClaims(events: readonly Happened[]): readonly string[] {
  const asked: Asked = new Map(
    [...Map.groupBy(eventsOf(events, 'claimed'), ({ claim }) => claim)].map(([claim, all]) => [claim, asOne(all)]),
  );
  // When the coordinator read of it no history tells: of those nothing is said.
  const amended = new Set(eventsOf(events, 'amended').map(({ claim }) => claim));
  const queues = new Queues();
  return events.flatMap((event) => {
    switch (event.kind) {
      case 'queued':
        queues.queued(event);
        return [];
      case 'left-queue':
        queues.left(event);
        return [];
      case 'put-back':
        queues.putBack(event);
        return [];
      case 'killed':
        queues.killed();
        return [];
      case 'chosen': {
        const chosen = queues.chosen(event);
        if (amended.has(chosen.claim)) return [];
        const overtaken = queues
          .of(event.name)
          .find((one) => !amended.has(one.claim) && isPresent(one, event) && precedes(asked, one, chosen));
        return overtaken === undefined ? [] : [inWords(asked, event, overtaken)];
      }
      default:
        return [];
    }
  });
}

/** A page that was loaded again asks under the id of before, and may mean another thing by it: of those nothing is said. */
function asOne(all: readonly Of<'claimed'>[]): Pick<Of<'claimed'>, 'priority' | 'steals' | 'waitMs'> {
  const [priority = 0, ...others] = new Set(all.map((one) => one.priority));
  return {
    priority: others.length > 0 ? NaN : priority,
    steals: all.some((one) => one.steals),
    waitMs: all.some((one) => one.waitMs === 0) ? 0 : null,
  };
}

const isPresent = ({ session }: Standing, { present }: Of<'chosen'>): boolean => present.includes(session);

function precedes(asked: Asked, one: Standing, chosen: Standing): boolean {
  const [first, second] = [asked.get(one.claim), asked.get(chosen.claim)];
  if (first === undefined || second === undefined || second.steals || first.waitMs === 0) return false;
  if (Number.isNaN(first.priority + second.priority)) return false;
  if (first.priority !== second.priority) return first.priority > second.priority;
  return one.arrival !== null && chosen.arrival !== null && one.arrival < chosen.arrival;
}

const inWords = (asked: Asked, { name, claim, at }: Of<'chosen'>, overtaken: Standing): string =>
  `S8 "${name}": ${claim} (priority ${asked.get(claim)?.priority}) granted at ${instant(at)} before ` +
  `${overtaken.claim} (priority ${asked.get(overtaken.claim)?.priority}), which stood before it`;

type Which = Pick<Standing, 'claim' | 'session'>;

/** Who stands in which queue, as far as the history says. */
class Queues {
  readonly #standing = new Map<string, Standing>();
  /** What came to an end in this run; the same request once more is a new claim. */
  readonly #over = new Set<Standing>();
  #arrivals = 0;

  of(name: string): readonly Standing[] {
    return [...this.#standing.values()].filter((one) => one.waits && one.name === name);
  }

  queued(event: Of<'queued'>): void {
    const one = this.#comes(event);
    one.waits = true;
  }

  chosen(event: Of<'chosen'>): Standing {
    const one = this.#comes(event);
    one.waits = false;
    this.#over.add(one);
    return one;
  }

  left(which: Which): void {
    const one = this.#standing.get(keyOf(which));
    if (one === undefined) return;
    one.waits = false;
    this.#over.add(one);
  }

  putBack(which: Which): void {
    const one = this.#standing.get(keyOf(which));
    if (one === undefined) return;
    one.waits = true;
    this.#over.delete(one);
  }

  /** Nobody waits until the next run says so. */
  killed(): void {
    this.#over.clear();
    for (const one of this.#standing.values()) {
      one.arrival = null;
      one.waits = false;
    }
  }

  /** As it stands already, or as it arrives now. */
  #comes({ claim, session, name }: Of<'queued'> | Of<'chosen'>): Standing {
    const found = this.#standing.get(keyOf({ claim, session }));
    if (found !== undefined && !this.#over.has(found)) return found;
    const one: Standing = { claim, session, name, arrival: (this.#arrivals += 1), waits: false };
    this.#standing.set(keyOf(one), one);
    return one;
  }
}

const keyOf = ({ claim, session }: Which): string => `${session} ${claim}`;
