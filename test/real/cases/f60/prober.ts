import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { processorOf } from '../../support/processor.ts';
import { say } from '../../support/script.ts';

/**
 * Asks `/healthz` at that port every 50 ms, over a connection of its own each time, and says how long each answer
 * took: a loop that stands still answers nobody. A process of its own, so that nothing else keeps it from its clock.
 * What it, or the coordinator (whose process it is told, `{ pid }`), waited for a processor meanwhile is told besides.
 */
const EVERY_MS = 50;
const [port = ''] = process.argv.slice(2);
let asked = 0;

const waitedMs = (pid: number): number => processorOf({ pid }).waitedMs;

function ask(): void {
  const from = performance.now();
  const pid = asked;
  const before = waitedMs(process.pid) + waitedMs(pid);
  const question = request({ port, host: '127.0.0.1', path: '/healthz', agent: false }, (answer) => {
    answer.resume();
    say('answered', {
      tookMs: performance.now() - from,
      waitedMs: waitedMs(process.pid) + waitedMs(pid) - before,
    });
  });
  // It was killed, or does not listen yet.
  question.on('error', () => undefined);
  question.end();
}

setInterval(() => {
  if (asked !== 0) ask();
}, EVERY_MS);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    asked = (JSON.parse(line) as { readonly pid: number }).pid; // Written by the case.
  })
  .on('close', () => process.exit(0));
