import { setTimeout as later } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { say } from '../../support/script.ts';

/** Ends the thread that owns a client, half a second after somebody else has come to wait; the process goes on. */
const worker = new Worker(new URL('./owner.ts', import.meta.url), { argv: process.argv.slice(2) });
await new Promise((resolve) => worker.once('message', resolve));
await later(500);
say('ends');
await worker.terminate();
say('ended');
process.stdin.resume();
