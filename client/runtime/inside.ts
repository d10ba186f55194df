import type { Json } from '../../shared/json.ts';
import type { AcquireTerms } from '../core/types.ts';
import type { Claims } from './claims.ts';
import type { BrowserPart } from './elect-browser.ts';
import type { StatusChange } from './public-client.ts';
import type { AcquireOptions, RunOptions } from './public-options.ts';
import type { Names } from './namespace.ts';
import type { Rules } from './options.ts';
import type { Work } from './run.ts';
import type { Runner } from './runner.ts';

/** What the parts of one client share. */
export interface Inside {
  /** Made at its first use. */
  readonly runner: () => Runner;
  readonly claims: Claims;
  readonly names: Names;
  /** What a question waits for an answer when nothing else was said. */
  readonly connectTimeoutMs: number;
  /** What others see beside its leases. */
  readonly label: string;
  readonly metadata: Json;
  /** Checks a claim's options and the name, which gets the namespace; throws `bad-request`. */
  readonly terms: <O extends AcquireOptions>(name: string, options: O, rules?: Rules<O>) => AcquireTerms;
  /** `client.run`, without `ifUnavailable`. */
  readonly run: <T>(name: string, options: RunOptions, work: Work<T>) => Promise<T>;
  /** Told of each change before the listeners of people are; returns what takes it away again. */
  readonly onStatus: (listener: (change: StatusChange) => void) => () => void;
  /** Nothing is asked of this client any more. */
  readonly isClosed: () => boolean;
  /** Loads what an election of one browser needs. */
  readonly browserPart: () => Promise<BrowserPart>;
  /** A callback threw. */
  readonly failed: (cause: unknown) => void;
}
