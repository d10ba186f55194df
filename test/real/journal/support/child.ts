import { createInterface } from 'node:readline';
import { JournalError, type Batch } from '../../../../server/core/journal-port.ts';
import { sqliteJournal, type SqliteJournal } from '../../../../server/journal/sqlite.ts';
import type { Answer, Question } from './process.ts';

/** A process of its own with a journal or more, which does what it reads from stdin, a line of JSON at a time. */
const [firstPath = ''] = process.argv.slice(2);
/** `no-thread`: many journals are opened in turn, and starting a thread for each is most of the time that takes. */
const thread =
  firstPath === 'no-thread'
    ? { startWorker: (await import('../../../unit/server/journal/same-thread.ts')).sameThread }
    : {};
const journals = new Map<string, SqliteJournal>();

function journalAt(path: string): SqliteJournal {
  const journal =
    journals.get(path) ?? sqliteJournal({ path, onWarning: (message) => say({ warning: message }), ...thread });
  journals.set(path, journal);
  return journal;
}

const forget = (path: string): void => void journals.delete(path);

function say(answer: Answer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** Appends without end, telling each acknowledged batch, until somebody kills the process. */
async function appendOn(journal: SqliteJournal, from: number, template: string): Promise<never> {
  for (let sequence = from; ; sequence += 1) {
    const events = template.replaceAll('"#"', String(sequence)).replaceAll('#', String(sequence));
    await journal.append({ sequence, events: JSON.parse(events) as Batch['events'] });
    say({ acknowledged: sequence });
  }
}

/** How long the loop was kept from a timer of 5 ms at most while `work` ran. */
async function lagOf(work: () => Promise<void>): Promise<{ tookMs: number; lagMs: number }> {
  let lagMs = 0;
  const began = performance.now();
  let last = began;
  const timer = setInterval(() => {
    const now = performance.now();
    lagMs = Math.max(lagMs, now - last - 5);
    last = now;
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return { tookMs: performance.now() - began, lagMs };
}

async function answerTo(question: Question): Promise<Answer> {
  const path = question.path ?? firstPath;
  const journal = journalAt(path);
  switch (question.kind) {
    case 'ping':
      return {};
    case 'load':
      return { contents: await journal.load() };
    case 'append':
      return { lag: await lagOf(() => journal.append(question.batch)) };
    case 'append-on':
      return appendOn(journal, question.from, JSON.stringify(question.events));
    case 'url':
      await journal.setOwnerUrl(question.url);
      return {};
    case 'close':
      forget(path);
      await journal.close();
      return {};
    case 'exit':
      process.exit(0);
    case 'throw':
      setImmediate(() => {
        throw new Error('thrown on purpose');
      });
      return {};
    default:
      return question satisfies never;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  // Not awaited: an append without end must not keep the next line waiting.
  const question = JSON.parse(line) as Question & { readonly id: number };
  const { id } = question;
  void answerTo(question).then(
    (answer) => say({ ...answer, id }),
    (error: unknown) => {
      if (!(error instanceof JournalError)) throw error;
      say({ failed: { code: error.code, message: error.message }, id });
    },
  );
}
