import { backoffMs } from '../../shared/backoff.ts';
import { LABEL_BYTES_MAX } from '../../shared/limits.ts';
import { inWords } from '../../shared/options.ts';
import { LeaseError, LeaseLostError, LeaseReleasedError, badRequest } from './errors.ts';
import { handleOf } from './handle.ts';
import type { Inside } from './inside.ts';
import { makeListeners, type Listeners } from './listeners.ts';
import { checkLine, checkOptions, SIGNAL_RULES, TRY_RULES, type Rules } from './options.ts';
import { followPage } from './page.ts';
import { after, randomId, stamp } from './platform.ts';
import type {
  BrowserElection,
  BrowserElectionEvents,
  BrowserElectionSnapshot,
  BrowserElectOptions,
} from './public-browser.ts';
import { makeStore, type Store } from './store.ts';

const EVENTS: Rules<BrowserElectionEvents> = { elected: 'function', deposed: 'function', leader: 'function' };
const RULES: Rules<BrowserElectOptions> = { scope: '"browser"', label: 'string', ...SIGNAL_RULES };

/** What a page has of the client already, so that what is loaded later brings none of it along. */
const KIT = {
  LeaseError,
  LeaseLostError,
  LeaseReleasedError,
  makeListeners,
  makeStore,
  backoffMs,
  after,
  randomId,
  stamp,
  followPage,
};

/** What an election has from its first moment on; `client/browser` does the rest once it is loaded. */
export interface Shell {
  readonly name: string;
  /** With its namespace. */
  readonly fullName: string;
  readonly label: string;
  readonly listeners: Listeners<BrowserElectionEvents>;
  readonly store: Store<BrowserElectionSnapshot>;
  error: Error | null;
  readonly failed: (cause: unknown) => void;
  /** It is stopped or refused. */
  readonly left: () => void;
  readonly kit: typeof KIT;
}

export interface Standing {
  readonly resign: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** What is loaded when somebody wants it. */
export interface BrowserPart {
  readonly standInBrowser: (shell: Shell) => Standing;
}

/** `client.elect` with `scope: 'browser'`, see there. */
export function electInBrowser(inside: Inside, name: string, options: BrowserElectOptions): BrowserElection {
  const fullName = inside.names.full(name);
  checkBrowserOptions(options);
  const { label = inside.label, signal } = options;
  checkLine('label', label, LABEL_BYTES_MAX);
  let standing: Standing | undefined;
  let stopped: Promise<void> | undefined;
  const { failed } = inside;
  const stop = (): Promise<void> => (stopped ??= end());
  const abort = (): void => void stop();
  const shell: Shell = {
    name,
    fullName,
    label,
    listeners: makeListeners<BrowserElectionEvents>(EVENTS, failed),
    store: makeStore<BrowserElectionSnapshot>(
      { status: 'connecting', isLeader: false, leader: null, position: null, lease: null },
      failed,
    ),
    error: null,
    failed,
    left() {
      unfollow();
      signal?.removeEventListener('abort', abort);
    },
    kit: KIT,
  };
  const unfollow = inside.onStatus(({ status }) => void (status === 'closed' && stop()));
  signal?.addEventListener('abort', abort);

  function end(): Promise<void> {
    if (standing !== undefined) return standing.stop();
    shell.left();
    shell.store.update({ status: 'stopped' });
    return Promise.resolve();
  }
  const load = async (): Promise<void> => {
    try {
      const { standInBrowser } = await inside.browserPart();
      if (stopped === undefined) standing = standInBrowser(shell);
    } catch (cause) {
      if (stopped !== undefined) return;
      const message = `the part of the client for scope "browser" could not be loaded: ${String(cause)}`;
      shell.error = new LeaseError({ code: 'unavailable', message, retryable: true, cause });
      shell.left();
      shell.store.update({ status: 'refused' });
    }
  };
  if (signal?.aborted === true || inside.isClosed()) void stop();
  else void load();
  return handleOf(name, {
    look: shell.store.get,
    get error() {
      return shell.error;
    },
    listeners: shell.listeners,
    store: shell.store,
    resign: () => standing?.resign() ?? Promise.resolve(),
    stop,
  });
}

/** What only a coordinator can do is refused in words. */
function checkBrowserOptions(options: BrowserElectOptions): void {
  for (const key of Object.keys(options))
    if (key in TRY_RULES && !(key in RULES))
      throw badRequest(
        key,
        `${key} means nothing with scope "browser", which has no coordinator; allowed: ${Object.keys(RULES).map(inWords).join(', ')}`,
      );
  checkOptions(options, RULES);
}
