import { MessageChannel } from 'node:worker_threads';
import type { JournalThread, StartWorker } from '../../../../server/journal/worker-client.ts';
import type { FromWorker } from '../../../../server/journal/worker-messages.ts';
import { serveJournal } from '../../../../server/journal/worker-service.ts';

/** The journal's thread without a thread, which takes 100 ms to start: the same service behind the same messages. */
export const sameThread: StartWorker = (data) => {
  const { port1, port2 } = new MessageChannel();
  serveJournal(port2, data);
  const exited: (() => void)[] = [];
  const thread: JournalThread = {
    postMessage: (call) => port1.postMessage(call),
    on(event: string, listener: (message: FromWorker) => void) {
      if (event === 'message') port1.on('message', listener);
      if (event === 'exit') exited.push(listener as () => void);
    },
    ref: () => port1.ref(),
    unref: () => port1.unref(),
    async terminate() {
      port1.close();
      for (const tell of exited.splice(0)) tell();
    },
  };
  return thread;
};
