import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { fromLine, toLine, type Entry } from '../real/support/log.ts';
import type { ChaosRun, FaultSpan } from './run.ts';

/** A run and what its runner saw, so that it can be judged again. */
export interface KeptRun {
  readonly run: ChaosRun;
  readonly found: readonly string[];
}

/** The first line of the file: all but the entries, instants as text. */
type Head = Omit<ChaosRun, 'from' | 'to' | 'faults' | 'entries'> & {
  readonly from: string;
  readonly to: string;
  readonly faults: readonly (Omit<FaultSpan, 'from' | 'to'> & { readonly from: string; readonly to: string })[];
  readonly found: readonly string[];
};

export async function keep(file: string, { run, found }: KeptRun): Promise<void> {
  const { entries, ...rest } = run;
  const faults = rest.faults.map((span) => ({ ...span, from: String(span.from), to: String(span.to) }));
  const head: Head = { ...rest, from: String(run.from), to: String(run.to), faults, found };
  await pipeline(Readable.from(linesOf(head, entries)), createGzip(), createWriteStream(file));
}

function* linesOf(head: Head, entries: readonly Entry[]): Generator<string> {
  yield `${JSON.stringify(head)}\n`;
  for (const entry of entries) yield `${toLine(entry)}\n`;
}

export async function readKept(file: string): Promise<KeptRun> {
  let head: Head | null = null;
  const entries: Entry[] = [];
  for await (const line of createInterface({ input: createReadStream(file).pipe(createGunzip()) })) {
    if (head === null) head = JSON.parse(line) as Head; // Written by `keep`.
    else entries.push(fromLine(line));
  }
  if (head === null) throw new Error(`${file} is empty`);
  const { found, ...rest } = head;
  const faults = rest.faults.map((span) => ({ ...span, from: BigInt(span.from), to: BigInt(span.to) }));
  return { run: { ...rest, from: BigInt(rest.from), to: BigInt(rest.to), faults, entries }, found };
}
