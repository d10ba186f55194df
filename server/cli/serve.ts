import { createCoordinator } from '../coordinator.ts';
import { JournalError, type Journal } from '../core/journal-port.ts';
import { memoryJournal } from '../journal/memory.ts';
import { sqliteJournal } from '../journal/sqlite.ts';
import type { Coordinator } from '../net/coordinator-types.ts';
import { CoordinatorError } from '../net/coordinator-error.ts';
import { pathsToOpen, type PageFile } from '../net/example-pages.ts';
import { builtPages } from './built-pages.ts';
import { devNotice } from './dev-notice.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { stderrLog, type Log } from './log.ts';
import type { Command, Settings } from './settings.ts';
import { stopSignals, type StopSignals } from './stop-signals.ts';

const DRAIN_MS = 3_500;
/** After this the process ends whatever the disk does (F61). */
const STOP_WITHIN_MS = 4_500;

/** Runs a coordinator until a signal; resolves with the exit code. */
export async function serve(command: Command, settings: Settings, io: Io): Promise<number> {
  const log = stderrLog(settings.logLevel);
  const signals = stopSignals(io);
  let coordinator: Coordinator;
  const pages = command === 'dev' ? builtPages() : new Map<string, PageFile>();
  const { journal, nameOwner } = journalOf(settings, log);
  try {
    coordinator = createCoordinator({
      journal,
      origins: settings.origins,
      hosts: settings.allowHosts,
      anyLoopbackOrigin: command === 'dev',
      insecure: settings.insecure,
      quietMs: settings.quietMs,
      limits: settings.limits,
      pages,
      logger: log,
    });
  } catch (error) {
    return failedToStart(error, io, log);
  }
  try {
    const { url, urls } = await coordinator.listen({ port: settings.port, host: hostsOf(settings.host) });
    await nameOwner(url);
    if (command === 'dev') io.err(devNotice(settings, urls, pathsToOpen(pages)));
    io.out(`leasehold listening on ${url}\n`);
  } catch (error) {
    const code = failedToStart(error, io, log);
    await within(STOP_WITHIN_MS, coordinator.close({ drainMs: 0 }));
    return code;
  }
  return untilStopped(coordinator, signals, io, log);
}

interface OwnedJournal {
  readonly journal: Journal;
  /** Names the address in the hint beside the file, for whoever is refused because of this coordinator (F53). */
  readonly nameOwner: (url: string) => Promise<void>;
}

/** A transaction slower than this is worth a line: grants wait for it. */
const SLOW_APPEND_MS = 1_000;

function journalOf({ data }: Settings, log: Log): OwnedJournal {
  if (data === null) return { journal: memoryJournal(), nameOwner: () => Promise.resolve() };
  const journal = sqliteJournal({
    path: data,
    onWarning: (message) => log.warn({ code: 'journal' }, message),
    onAppended: (ms, events) => {
      if (ms > SLOW_APPEND_MS)
        log.warn({ code: 'slow-disk', ms: Math.round(ms), events }, 'a slow append: grants wait for it');
    },
  });
  return { journal, nameOwner: (url) => journal.setOwnerUrl(url) };
}

/** `localhost` is two addresses, and which one a client tries first is the client's affair. */
const hostsOf = (host: string): readonly string[] => (host === 'localhost' ? ['127.0.0.1', '::1'] : [host]);

async function untilStopped(coordinator: Coordinator, signals: StopSignals, io: Io, log: Log): Promise<number> {
  const cause = await Promise.race([signals.first, coordinator.broken]);
  if (typeof cause === 'number')
    log.info({ signal: cause }, 'draining; a second signal ends the drain, a third one the process');
  void signals.second.then(() => coordinator.close({ drainMs: 0 }));
  const isClosed = await within(STOP_WITHIN_MS, coordinator.close({ drainMs: DRAIN_MS }));
  if (!isClosed)
    log.error(
      { code: 'unavailable' },
      `the journal did not close within ${STOP_WITHIN_MS} ms; what is stored is whole`,
    );
  log.flush();
  if (typeof cause !== 'number') {
    io.err(`leasehold: a defect stopped the coordinator: ${cause.message}\n`);
    return EXIT.internal;
  }
  return isClosed ? EXIT.ok : EXIT.failed;
}

/** Whether `work` was done in time; a rejection counts as done, and its reason as told elsewhere. */
function within(ms: number, work: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    work
      .then(
        () => resolve(true),
        () => resolve(false),
      )
      .finally(() => clearTimeout(timer));
  });
}

/** One line that says what is wrong and what to do. */
function failedToStart(error: unknown, io: Io, log: Log): number {
  log.flush();
  if (!(error instanceof CoordinatorError || error instanceof JournalError)) throw error;
  io.err(`leasehold: ${error.message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  const isUsage = error instanceof CoordinatorError && (error.code === 'bad-request' || error.code === 'unauthorized');
  return isUsage ? EXIT.usage : EXIT.failed;
}
