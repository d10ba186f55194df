import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, createGzip } from 'node:zlib';
import { Refusal } from '../../scripts/support/refusal.ts';
import { fromLine, toLine, type Entry } from '../real/support/log.ts';
import { headIn, type Head } from './run-head.ts';
import type { ChaosRun } from './run.ts';

/** A run and what its runner saw, so that it can be judged again. */
export interface KeptRun {
  readonly run: ChaosRun;
  readonly found: readonly string[];
}

export async function keep(file: string, { run, found }: KeptRun): Promise<void> {
  const { entries, ...rest } = run;
  const faults = rest.faults.map((span) => ({ ...span, from: String(span.from), to: String(span.to) }));
  const ends = { from: String(run.from), to: String(run.to) };
  const head: Head = { ...rest, ...ends, faults, found, entryCount: entries.length };
  await pipeline(Readable.from(linesOf(head, entries)), createGzip(), createWriteStream(file));
}

function* linesOf(head: Head, entries: readonly Entry[]): Generator<string> {
  yield `${JSON.stringify(head)}\n`;
  for (const entry of entries) yield `${toLine(entry)}\n`;
}

/** Refuses what `keep` did not write, and what is not all of it: half a log looks like a run that went wrong. */
export async function readKept(file: string): Promise<KeptRun> {
  const lines = await linesIn(file);
  const [first = ''] = lines;
  const head = headIn(first);
  if (typeof head === 'string') throw noLog(file, head);
  const entries = lines.slice(1).map((line, index) => entryIn(file, line, index + 2));
  const { found, entryCount, ...rest } = head;
  if (entryCount !== null && entryCount !== entries.length)
    throw cutOff(file, `it has ${entries.length} entries, and its head speaks of ${entryCount}`);
  const faults = rest.faults.map((span) => ({ ...span, from: BigInt(span.from), to: BigInt(span.to) }));
  return { run: { ...rest, from: BigInt(rest.from), to: BigInt(rest.to), faults, entries }, found };
}

const noLog = (file: string, why: string): Refusal => new Refusal(`${file} is no log of a chaos run: ${why}`);

const cutOff = (file: string, why: string): Refusal =>
  new Refusal(`${file} is cut off: ${why}; half a log cannot be judged`);

async function linesIn(file: string): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    await pipeline(createReadStream(file), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      const decoder = new StringDecoder('utf8');
      let begun = '';
      for await (const chunk of chunks) {
        const parts = (begun + decoder.write(chunk)).split('\n');
        begun = parts.pop() ?? '';
        for (const part of parts) lines.push(part);
      }
      if (begun !== '') lines.push(begun);
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // zlib's word for a stream whose end is missing.
    if ('code' in error && error.code === 'Z_BUF_ERROR') throw cutOff(file, 'its compressed stream has no end');
    throw noLog(file, error.message);
  }
  return lines;
}

function entryIn(file: string, line: string, number: number): Entry {
  try {
    const entry = fromLine(line);
    const { client, event }: { readonly client?: unknown; readonly event?: unknown } = entry;
    if (typeof client === 'string' && typeof event === 'string') return entry;
  } catch {
    // Told below.
  }
  throw noLog(file, `line ${number} is no entry`);
}
