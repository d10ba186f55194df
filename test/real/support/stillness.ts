import { addMs, msBetween, type Entry } from './log.ts';

interface Span {
  readonly from: bigint;
  readonly to: bigint;
}

/** When the processes under a label were given no processor: stopped by a signal, or by their own account afterwards. */
export function stillnessOf(entries: readonly Entry[]): ReadonlyMap<string, readonly Span[]> {
  const spans = new Map<string, Span[]>();
  const suspended = new Map<string, bigint>();
  const add = (client: string, span: Span): void => {
    const ofClient = spans.get(client);
    if (ofClient === undefined) spans.set(client, [span]);
    else ofClient.push(span);
  };
  for (const entry of entries) {
    const { at, client } = entry;
    if (entry.event === 'suspended') suspended.set(client, at);
    if (entry.event === 'stood-still') add(client, { from: at, to: addMs(at, entry.forMs) });
    const from = entry.event === 'continued' ? suspended.get(client) : undefined;
    if (from !== undefined) add(client, { from, to: at });
  }
  // In order of their beginnings, so that what is told twice, by the signal and by the process, counts once.
  for (const ofClient of spans.values()) ofClient.sort((a, b) => Number(a.from - b.from));
  return spans;
}

/** How much of the time from `from` to `to` lies within `spans`. */
export function stillMs(spans: readonly Span[], from: bigint, to: bigint): number {
  let ms = 0;
  let counted = from;
  for (const span of spans) {
    const begin = span.from > counted ? span.from : counted;
    const end = span.to < to ? span.to : to;
    if (end <= begin) continue;
    ms += msBetween(begin, end);
    counted = end;
  }
  return ms;
}
