import { parentPort, workerData } from 'node:worker_threads';
import { serveJournal } from './worker-service.ts';

/** Entry of the journal's thread; built as `journal-worker.js`. */
if (parentPort === null) throw new Error('the journal worker runs as a worker thread of the coordinator');
serveJournal(parentPort, workerData);
