import type { ChaosRun } from '../run.ts';
import { byTime, instant, type Judge } from './reading.ts';
import { witnessesIn, type Seen, type Written } from './witnesses.ts';

/** S4, S3: no acknowledged write is lost, and what is seen of a state never goes back. */
export const statesStay: Judge = (run) => {
  const { written, seen } = witnessesIn(run.entries);
  const seenOf = Map.groupBy(seen, ({ name }) => name);
  const writtenOf = Map.groupBy(written, ({ name }) => name);
  return [...new Set([...seenOf.keys(), ...writtenOf.keys()])].flatMap((name) => {
    const ofName = { seen: seenOf.get(name) ?? [], written: writtenOf.get(name) ?? [] };
    return [
      ...versionsAreOneValue(run, ofName),
      ...inOrderOfTokens(run, ofName),
      ...watchesNeverGoBack(run, ofName),
      ...nothingOlderThanAsked(run, ofName),
      ...holdersSeeWhatWasWritten(run, ofName),
    ];
  });
};

interface OfName {
  readonly written: readonly Written[];
  readonly seen: readonly Seen[];
}

function versionsAreOneValue(run: ChaosRun, { written, seen }: OfName): readonly string[] {
  const values = new Map<number, Written | Seen>();
  return [...written, ...seen].toSorted(byTime).flatMap((one) => {
    if (one.version === null) return [];
    const first = values.get(one.version);
    if (first === undefined) values.set(one.version, one);
    return first === undefined || first.value === one.value
      ? []
      : [
          `state "${one.name}": version ${one.version} is ${first.value} for ${first.client} at ${instant(run, first.at)} and ${one.value} for ${one.client} at ${instant(run, one.at)}`,
        ];
  });
}

function inOrderOfTokens(run: ChaosRun, { written }: OfName): readonly string[] {
  const found: string[] = [];
  let last: Written | undefined;
  for (const one of written.toSorted((a, b) => a.version - b.version)) {
    if (last !== undefined && one.token < last.token)
      found.push(
        `state "${one.name}": ${one.client} wrote version ${one.version} under ${one.token} at ${instant(run, one.at)}, over ${last.version} under ${last.token}`,
      );
    last = one;
  }
  return found;
}

function watchesNeverGoBack(run: ChaosRun, { seen }: OfName): readonly string[] {
  const found: string[] = [];
  const last = new Map<string, number>();
  for (const { name, client, at, watch, version } of seen.toSorted(byTime)) {
    if (watch === null || version === null) continue;
    const before = last.get(watch) ?? 0;
    if (version < before)
      found.push(`state "${name}": ${client} saw version ${version} at ${instant(run, at)} after ${before}`);
    last.set(watch, version);
  }
  return found;
}

/** Whoever asks after a write was acknowledged sees it, or a later one. */
function nothingOlderThanAsked(run: ChaosRun, { written, seen }: OfName): readonly string[] {
  const known = written.toSorted(byTime);
  const asking = seen.flatMap((one) => (one.askedAt === null ? [] : [{ one, at: one.askedAt }])).toSorted(byTime);
  const found: string[] = [];
  let next = 0;
  let newest: Written | undefined;
  for (const { one, at } of asking) {
    for (let write = known[next]; write !== undefined && write.at < at; write = known[next]) {
      if (newest === undefined || write.version > newest.version) newest = write;
      next += 1;
    }
    if (newest !== undefined) found.push(...older(run, one, newest));
  }
  return found;
}

/** A holder is granted the state that the holders before it left. */
function holdersSeeWhatWasWritten(run: ChaosRun, { written, seen }: OfName): readonly string[] {
  const known = written.toSorted((a, b) => a.token - b.token);
  const grants = seen.flatMap((one) => (one.granted === null ? [] : [{ one, token: one.granted }]));
  const found: string[] = [];
  let next = 0;
  let newest: Written | undefined;
  for (const { one, token } of grants.toSorted((a, b) => a.token - b.token)) {
    for (let write = known[next]; write !== undefined && write.token < token; write = known[next]) {
      if (newest === undefined || write.version > newest.version) newest = write;
      next += 1;
    }
    if (newest !== undefined) found.push(...older(run, one, newest));
  }
  return found;
}

/** A name without a state is no older one where it was removed. */
function older(run: ChaosRun, one: Seen, newest: Written): readonly string[] {
  const isOlder = one.version === null ? newest.value !== null : one.version < newest.version;
  const how = one.granted === null ? 'saw' : `with ${one.granted} saw`;
  return isOlder
    ? [
        `state "${one.name}": ${one.client} ${how} version ${one.version ?? 'none'} at ${instant(run, one.at)}; version ${newest.version} of ${newest.client} had been acknowledged at ${instant(run, newest.at)}`,
      ]
    : [];
}
