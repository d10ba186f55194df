import type { Json, Lease } from 'leasehold';

/** What this page keeps in the state of its lease: a count, and who counted what. (No interfaces: those are no `Json`.) */
export type Counter = {
  readonly count: number;
  /** The last few, oldest first; each goes on where the one before it stopped. */
  readonly reigns: readonly Reign[];
};

export type Reign = {
  readonly by: string;
  readonly token: number;
  /** Its last count; its first is the one behind that of the reign before. */
  readonly to: number;
};

const REIGNS_MAX = 12;
const EVERY_MS = 1_000;

export const NONE: Counter = { count: 0, reigns: [] };

/** Whoever holds the lease could have written anything, so it is looked at. */
export function counterOf(state: Json | undefined): Counter {
  const count = numberOf(field(state, 'count'));
  if (count === null) return NONE;
  const reigns = field(state, 'reigns');
  return { count, reigns: Array.isArray(reigns) ? reigns.flatMap((one: Json) => reignOf(one) ?? []) : [] };
}

function reignOf(value: Json): Reign | null {
  const by = field(value, 'by');
  const token = numberOf(field(value, 'token'));
  const to = numberOf(field(value, 'to'));
  return typeof by === 'string' && token !== null && to !== null ? { by, token, to } : null;
}

const field = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? // An array was ruled out, which the type of a read-only one does not show.
      (value as { readonly [key: string]: Json })[key]
    : undefined;

const numberOf = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : null;

/** One step further, by whoever leads. */
export function advanced(before: Counter, by: string, token: number): Counter {
  const count = before.count + 1;
  const earlier = before.reigns.filter((reign) => reign.token !== token);
  const reigns = [...earlier, { by, token, to: count }].slice(-REIGNS_MAX);
  return { count, reigns };
}

/** Who made each of the last `length` steps, newest last; null for what is not known, or was never made. */
export function lastSteps({ count, reigns }: Counter, length: number): readonly (string | null)[] {
  return Array.from({ length }, (_, index) => {
    const step = count - length + 1 + index;
    if (step < 1) return null;
    // The first reign that reaches so far; of the oldest one the beginning is not known, and nobody minds.
    return reigns.find((reign) => step <= reign.to)?.by ?? null;
  });
}

/**
 * Advances the counter each second for as long as this lease lasts. Resolves when it is over. Each write goes out under
 * the lease's token: one that comes too late is refused by the coordinator.
 */
export async function keepCounting(lease: Lease, by: string): Promise<void> {
  for (let nextAt = performance.now(); !lease.signal.aborted;) {
    if (lease.status === 'held') {
      try {
        await lease.setState(advanced(counterOf(lease.state), by, lease.fencingToken));
      } catch (error) {
        // Lost or released meanwhile, which the page tells by itself; anything else is worth a try at the next step.
        if (!lease.signal.aborted) console.warn(error);
      }
    }
    nextAt = Math.max(nextAt + EVERY_MS, performance.now());
    // A hidden tab's timers are slowed to one a minute where each sets the next; this one is set by an answer that came in.
    await abortable(nextAt - performance.now(), lease.signal);
  }
}

function abortable(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}
