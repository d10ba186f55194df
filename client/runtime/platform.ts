import type { Diagnostics } from './process-tie.ts';
import {
  IDLE_MS_DEFAULT_PAGE,
  IDLE_MS_DEFAULT_PROCESS,
  PING_MS_DEFAULT,
  PING_MS_MIN,
  PINGS_PER_WINDOW,
} from '../../shared/limits.ts';
import { durationMs, monoMs, wallMs, type DurationMs, type Stamp } from '../../shared/time.ts';

/** Both clocks, read together. */
export const stamp = (): Stamp => ({ mono: monoMs(performance.now()), wall: wallMs(Date.now()) });

/** Longest delay of a timer: a longer one fires at once (WHATWG HTML and Node keep it in 32 bits). */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** A timer that fires too early for a far instant; the caller looks at its clock and sets the next. */
export const after = (ms: number, wake: () => void): ReturnType<typeof setTimeout> =>
  setTimeout(wake, Math.min(Math.max(0, Math.ceil(ms)), TIMER_MS_MAX));

/**
 * Firefox with `resistFingerprinting` moves its clocks in steps of 16.7 ms; everyone else's are finer. It costs nothing:
 * twice this is less than the least stop margin (R11).
 */
export const CLOCK_RESOLUTION_MS = 17;

/** 128 random bits as text. Called at the first use: some runtimes refuse randomness while a module loads. */
export const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** What Node, Bun and Deno have. Each may be missing, or refused when it is read. */
export interface ProcessHere {
  readonly versions?: { readonly node?: string };
  readonly pid?: number;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly getBuiltinModule?: {
    (name: 'os'): { hostname(): string } | undefined;
    (name: 'diagnostics_channel'): Diagnostics | undefined;
  };
}

/** The process; undefined in pages and workers (a bundler's stand-in for `process` has no version). */
export const processHere = (): ProcessHere | undefined => {
  // Read off globalThis, so that no platform's types are needed.
  const { process } = globalThis as { readonly process?: ProcessHere };
  return process?.versions?.node === undefined ? undefined : process;
};

export const idleMsDefault = (): number => (processHere() ? IDLE_MS_DEFAULT_PROCESS : IDLE_MS_DEFAULT_PAGE);

/** Or one made of it: all that is made of Chromium names itself so. Workers have a navigator too; some runtimes have none. */
export function isBrowser(name: 'Chrome' | 'Firefox'): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return navigator?.userAgent?.includes(`${name}/`) === true;
}

/** Not so in workers, whose timers are not throttled, nor in a process. */
export const isPage = (): boolean => 'document' in globalThis;

/** A page's main thread asks for pings: its timers are throttled when hidden, frames that come in are not. */
export const pingMsFor = (ttlMs: number): DurationMs | undefined =>
  isPage()
    ? durationMs(Math.min(Math.max(PING_MS_MIN, Math.floor(ttlMs / PINGS_PER_WINDOW)), PING_MS_DEFAULT))
    : undefined;
