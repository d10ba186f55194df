import type { MessagePort } from 'node:worker_threads';
import { JournalError } from '../core/journal-port.ts';
import { asJournalError, isCallersFault } from './failures.ts';
import { journalFile } from './journal-file.ts';
import type { Call, CallKind, Calls, FromWorker, WorkerData } from './worker-messages.ts';

type Answers = { readonly [K in CallKind]: (asked: Calls[K]['with']) => Promise<Calls[K]['back']> | Calls[K]['back'] };

/** The journal's thread: one call after another, so that nothing is ever decided between two halves of one. */
export function serveJournal(port: MessagePort, { path }: WorkerData): void {
  const tell = (message: FromWorker): void => port.postMessage(message);
  const file = journalFile(path, (message) => tell({ kind: 'warning', message }));

  const answers: Answers = {
    load: () => file.load(),
    resume: (url) => file.resume(url),
    append: (batch) => file.append(batch),
    url(url) {
      file.nameOwner(url);
      return null;
    },
    close() {
      file.close();
      return null;
    },
  };
  const answer = <K extends CallKind>(kind: K, asked: Calls[K]['with']) => answers[kind](asked);

  async function serve(call: Call): Promise<void> {
    try {
      tell({ kind: 'done', id: call.id, back: await answer(call.kind, call.with) });
    } catch (error) {
      const callers = call.kind === 'append' && isCallersFault(error);
      tell(
        callers ? { kind: 'failed', id: call.id, code: null, message: String(error) } : failureOf(call.id, path, error),
      );
    }
    if (call.kind === 'append') file.appended();
    if (call.kind === 'close') port.close();
  }

  let last: Promise<void> = Promise.resolve();
  port.on('message', (call: Call) => {
    last = last.then(() => serve(call));
  });
}

function failureOf(id: number, path: string, error: unknown): FromWorker {
  const failure = error instanceof JournalError ? error : asJournalError(path, error);
  return { kind: 'failed', id, code: failure.code, message: failure.message };
}
