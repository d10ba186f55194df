import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { WebSocket, WebSocketServer, type RawData } from 'ws';
import { eachLine, startChild } from './children.ts';
import { msBetween, now } from './log.ts';
import { within } from './waiting.ts';

/**
 * What a hand-over would cost with no lease in it: one process sends a message, a server commits one row as durably
 * as the coordinator does and passes the message to the other process. The yardstick of the hand-over test.
 *
 *   node bare-hand-over.ts server FOLDER | client URL ROUNDS first|second
 */
const PROGRAM = fileURLToPath(import.meta.url);

export async function bareHandOvers(folder: string, rounds: number): Promise<readonly number[]> {
  const server = startChild(process.execPath, [PROGRAM, 'server', folder]);
  const url = await within(
    new Promise<string>((resolve) => eachLine(server.stdout, resolve)),
    10_000,
    'the bare server listens',
  );
  const times: number[] = [];
  const ended = ['second', 'first'].map((place) => {
    const client = startChild(process.execPath, [PROGRAM, 'client', url, String(rounds), place]);
    eachLine(client.stdout, (line) => times.push(...line.split(' ').map(Number)));
    return new Promise((resolve) => client.once('close', resolve));
  });
  await within(Promise.all(ended), 60_000, 'the bare hand-overs end');
  server.kill('SIGKILL');
  return times;
}

function serve(folder: string): void {
  const database = new Database(join(folder, 'bare.db'));
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('journal_mode = WAL');
  database.exec('CREATE TABLE grants (number INTEGER PRIMARY KEY, sent TEXT)');
  database.pragma('synchronous = FULL');
  const insert = database.prepare('INSERT INTO grants (sent) VALUES (?)');
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => {
    socket.on('message', (data: RawData) => {
      const text = textOf(data);
      insert.run(text);
      for (const other of server.clients) if (other !== socket) other.send(text);
    });
  });
  server.once('listening', () => {
    process.stdout.write(`ws://127.0.0.1:${(server.address() as AddressInfo).port}\n`); // A TCP server's address is never a path.
  });
}

function play(url: string, rounds: number, isFirst: boolean): void {
  const socket = new WebSocket(url);
  const times: number[] = [];
  const pass = (): void => socket.send(String(now()));
  // The second one is there first: it has nobody to send to before.
  socket.on('open', () => {
    if (isFirst) setTimeout(pass, 500);
  });
  socket.on('message', (data: RawData) => {
    times.push(msBetween(BigInt(textOf(data)), now()));
    if (times.length < rounds || !isFirst) setTimeout(pass, 1);
    if (times.length < rounds) return;
    process.stdout.write(`${times.join(' ')}\n`);
    setTimeout(() => process.exit(0), 100);
  });
}

const textOf = (data: RawData): string => (data as Buffer).toString('utf8'); // `ws` gives a Buffer unless told otherwise.

if (process.argv[1] === PROGRAM) {
  const [, , role, where = '', rounds, place] = process.argv;
  if (role === 'server') serve(where);
  else play(where, Number(rounds), place === 'first');
}
