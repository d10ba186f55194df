import { createInterface } from 'node:readline';
import type { Command } from './commands.ts';
import { DrivenClient } from './driven-client.ts';
import { msBetween, now, toLine } from '../log.ts';

/**
 * A client program: reads orders from stdin, writes what happens to stdout. It runs the built package, as an
 * application would, under `--unhandled-rejections=strict`. It ends by itself once stdin is closed and every client
 * is; a handle that was left open keeps it alive, and is told by exit code 17.
 */
const EXIT_LEFTOVER = 17;
const EXIT_UNHANDLED = 70;
const LEFTOVER_AFTER_MS = 5_000;

const clients = new Map<string, DrivenClient>();
const write = (lines: string): void => void process.stdout.write(lines);

process.on('uncaughtException', (error) => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  for (const client of clients.keys())
    process.stdout.write(`${toLine({ at: now(), client, event: 'unhandled', text })}\n`);
  process.exit(EXIT_UNHANDLED);
});

/**
 * A busy machine, or a signal, may give this process no processor for a while: it then runs no code, and believes
 * nothing. Told apart from code that blocks its own loop by the processor time that went into the gap.
 */
const WATCH_MS = 20;
const STILL_MS = 100;
let seen = { at: now(), cpu: process.cpuUsage() };
setInterval(() => {
  const { at, cpu } = seen;
  seen = { at: now(), cpu: process.cpuUsage() };
  const forMs = msBetween(at, seen.at);
  const ranMs = (seen.cpu.user + seen.cpu.system - cpu.user - cpu.system) / 1_000;
  if (forMs < STILL_MS || ranMs > forMs / 2) return;
  for (const client of clients.keys()) process.stdout.write(`${toLine({ at, client, event: 'stood-still', forMs })}\n`);
}, WATCH_MS).unref();

createInterface({ input: process.stdin }).on('line', (line) => {
  const command = JSON.parse(line) as Command; // Written by our own harness.
  if (command.do === 'connect') clients.set(command.client, new DrivenClient(command.client, command, { now, write }));
  else clients.get(command.client)?.obey(command);
});

process.stdin.on('end', () => {
  setTimeout(() => process.exit(EXIT_LEFTOVER), LEFTOVER_AFTER_MS).unref();
});
