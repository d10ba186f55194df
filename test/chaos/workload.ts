import type { Order } from '../real/support/program/commands.ts';

export const WINDOW_MS = 3_000;
const LONG_WINDOW_MS = 5_000;
/** The number that is added to, and the name that is elected for. */
export const NUMBER = 'number';
const LEADER = 'leader';
const LOCKS = 4;

/** What one client does all the time, each as a call of its own. `loose`: where the number stands without a token. */
type Work = (call: string, loose: string) => Order;

interface Contending {
  readonly from: number;
  readonly holdMs: number;
  readonly ttlMs?: number;
  readonly waitMs?: number;
}

const contend =
  ({ from, holdMs, ttlMs = WINDOW_MS, waitMs }: Contending): Work =>
  (call) => ({
    do: 'contend',
    call,
    prefix: 'lock-',
    names: LOCKS,
    from,
    holdMs,
    pauseMs: 30,
    // Few enough that the log of an hour fits in memory.
    readMs: 250,
    options: { ttlMs, ...(waitMs === undefined ? {} : { waitMs }) },
  });

/** Long enough between its read and its write that a fault falls into it now and then. */
const add: Work = (call, loose) => ({
  do: 'add',
  call,
  name: NUMBER,
  holdMs: 500,
  pauseMs: 20,
  unfenced: loose,
  options: { ttlMs: WINDOW_MS },
});

const elect: Work = (call) => ({
  do: 'elect',
  call,
  key: `key of ${call}`,
  name: LEADER,
  options: { ttlMs: WINDOW_MS },
  workMs: 500,
});

const watch =
  (name: string): Work =>
  (call) => ({ do: 'watch', call, key: call, name });

/** Holds beyond a third of the window, so that renewals come into it. */
const LONG_MS = 2_500;
const SHORT_MS = 300;

/** By process, then by client. */
export const WORK: readonly (readonly (readonly Work[])[])[] = [
  [
    [contend({ from: 0, holdMs: LONG_MS, ttlMs: LONG_WINDOW_MS }), add],
    [contend({ from: 2, holdMs: SHORT_MS, waitMs: 2_000 }), elect],
  ],
  [
    [contend({ from: 1, holdMs: LONG_MS }), add],
    [elect, watch(NUMBER)],
  ],
  [
    [contend({ from: 3, holdMs: 1_000, ttlMs: LONG_WINDOW_MS }), add],
    [contend({ from: 0, holdMs: SHORT_MS, waitMs: 3_000 })],
    [elect, watch('lock-0')],
  ],
  [[contend({ from: 2, holdMs: LONG_MS, ttlMs: LONG_WINDOW_MS }), add]],
  // In a network namespace, where there is one. What stands without a token is not reached from there.
  [[contend({ from: 1, holdMs: LONG_MS }), elect], [contend({ from: 3, holdMs: SHORT_MS, ttlMs: LONG_WINDOW_MS })]],
];

/** How the work that `order` began is ended; null: by `stop`. */
export function ending(order: Order): Order | null {
  if (order.do === 'elect') return { do: 'stop-election', call: `${order.call} stop`, key: order.key };
  return order.do === 'watch' ? { do: 'unwatch', key: order.key } : null;
}
