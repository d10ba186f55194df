/**
 * Imports the file given as argument and prints, as JSON in the last line, what the repository's own code did meanwhile: timers set,
 * clocks and chance read, lines logged, globals added. Then it ends by itself, unless the import left something alive.
 */
import { pathToFileURL } from 'node:url';
import { root } from '../../scripts/support/files.ts';

const WATCHED: readonly (readonly [object, readonly string[]])[] = [
  [globalThis, ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch']],
  [Date, ['now']],
  [Math, ['random']],
  [performance, ['now']],
  [crypto, ['randomUUID', 'getRandomValues']],
  [console, ['log', 'info', 'warn', 'error', 'debug']],
];

/** zod keeps its registry there, and Node its own fetch, once somebody has asked for it. */
const BY_OTHERS = /^__zod_|^Symbol\(undici\./;

const here = import.meta.url;
const done: string[] = [];

const isOwn = (line: string): boolean =>
  line.includes(`${root}/`) && !line.includes('node_modules') && !line.includes(here);

function watch(owner: object, key: string): void {
  const original: unknown = Reflect.get(owner, key);
  if (typeof original !== 'function') return;
  Reflect.set(owner, key, function (this: unknown, ...given: unknown[]): unknown {
    const line = (new Error('where').stack ?? '').split('\n').find(isOwn);
    if (line !== undefined) done.push(`${key} ${line.trim()}`);
    const answer: unknown = Reflect.apply(original, this, given);
    return answer;
  });
}

for (const [owner, keys] of WATCHED) for (const key of keys) watch(owner, key);
const before = new Set(Reflect.ownKeys(globalThis));
await import(pathToFileURL(process.argv[2] ?? '').href);
for (const key of Reflect.ownKeys(globalThis)) {
  if (!before.has(key) && !BY_OTHERS.test(String(key))) done.push(`global ${String(key)} added`);
}
process.stdout.write(`\n${JSON.stringify(done)}`);
