import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerData } from './worker-messages.ts';
import { serveJournal } from './worker-service.ts';

/** Entry of the journal's thread; built as `journal-worker.js`. */
if (parentPort === null) throw new Error('the journal worker runs as a worker thread of the coordinator');
// Given by `startWorker` (worker-client.ts), or by whoever starts the thread in its place.
serveJournal(parentPort, workerData as WorkerData);
