import type { Inside } from './inside.ts';
import { quiet } from './lease.ts';
import { checkOptions, SIGNAL_RULES, TIMEOUT_RULES } from './options.ts';
import type { LeaseView, ListOptions } from './public-view.ts';
import type { OutcomeOf } from './runner.ts';
import { viewOf } from './view.ts';

/** Few enough that a page is fresh when its last view is taken; the coordinator cuts by bytes as well. */
const PAGE_VIEWS = 100;
const LIST_RULES = { prefix: 'string', ...SIGNAL_RULES, ...TIMEOUT_RULES } as const;

/** `client.list`, see there. */
export function list(inside: Inside, options: ListOptions): AsyncIterableIterator<LeaseView, undefined> {
  checkOptions(options, LIST_RULES);
  const pages = viewsOf(inside, inside.names.prefix(options.prefix ?? ''), options);
  return {
    next: () => quiet(pages.next()),
    return: () => quiet(pages.return(undefined)),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* viewsOf(
  { runner, names, connectTimeoutMs }: Inside,
  prefix: string,
  { signal, timeoutMs = connectTimeoutMs }: ListOptions,
): AsyncGenerator<LeaseView, undefined> {
  const question = { kind: 'list', name: undefined, prefix, limit: PAGE_VIEWS } as const;
  let next: string | undefined = '';
  while (next !== undefined) {
    signal?.throwIfAborted();
    const after: string = next;
    const page: OutcomeOf<'views'> = await unlessAborted(
      runner().ask<'views'>((reference) => ({ ...question, after, reference }), timeoutMs),
      signal,
    );
    // As of now: what is taken from the page later has aged by then.
    for (const view of page.views.map((wire) => viewOf(wire, names))) {
      signal?.throwIfAborted();
      yield view;
    }
    next = page.next;
  }
  return undefined;
}

/** Rejects with the signal's reason once it is aborted; what was asked is then answered to nobody. */
async function unlessAborted<T>(asked: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return asked;
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    // Whatever the owner of the signal gave it, an Error or not.
    signal.addEventListener('abort', (stop = () => reject(signal.reason as Error)));
  });
  try {
    return await Promise.race([quiet(asked), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
