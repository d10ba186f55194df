/** Plays the cases of field failures (test/real/cases); with `--full` writes docs/FIELD-FAILURES.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BROWSER_CASES } from '../test/browser/cases/registry.ts';
import { CASES as PROCESS_CASES } from '../test/real/cases/registry.ts';
import { play, type FieldCase, type Played } from '../test/real/support/field-case.ts';
import { casesPage } from './support/cases-page.ts';
import { presentCommit } from './support/commit.ts';
import { root } from './support/files.ts';
import { openFile } from './support/out-folder.ts';
import { Refusal, refusing } from './support/refusal.ts';

const CASES = [...PROCESS_CASES, ...BROWSER_CASES].toSorted((a, b) => (a.id < b.id ? -1 : 1));

const HELP = `npm run cases -- [--full] [F04 F22 ...]

Plays the cases of field failures against the built coordinator and client.

  --full   each case as it was written; takes about an hour; all of them
           together write docs/FIELD-FAILURES.md
  --json F     also writes what was measured to this file
  --page F,F   plays nothing: writes docs/FIELD-FAILURES.md from such files, which
               together have every case (played beside each other, they take less long)
  --help   this

Without a name every case is played. Ends with 1 when a case is not as it is right, with 2 when nothing could be played.

${CASES.map(({ id, title }) => `  ${id}  ${title}`).join('\n')}`;

function chosen(names: readonly string[]): readonly FieldCase[] {
  const unknown = names.filter((name) => !CASES.some(({ id }) => id === name.toUpperCase()));
  if (unknown.length > 0)
    throw new Refusal(`no such case: ${unknown.join(', ')}; there are ${CASES.map(({ id }) => id).join(', ')}`);
  const wanted = names.map((name) => name.toUpperCase());
  return names.length === 0 ? CASES : CASES.filter(({ id }) => wanted.includes(id));
}

function print({ tookMs, measured, wrong }: Played): void {
  for (const { what, value, right, ok } of measured)
    console.log(`  ${ok ? 'ok   ' : 'WRONG'} ${what}: ${value} (right: ${right})`);
  for (const line of wrong) console.log(`  ! ${line}`);
  console.log(`  ${wrong.length === 0 ? 'as it is right' : 'WRONG'}, ${(tookMs / 1_000).toFixed(1)} s`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      full: { type: 'boolean', default: false },
      json: { type: 'string' },
      page: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  if (values.page !== undefined) {
    writePage(values.page.split(',').flatMap(playedIn));
    return;
  }
  const cases = chosen(positionals);
  if (values.json !== undefined) openFile(values.json);
  const size = values.full ? 'full' : 'ci';
  const played: Played[] = [];
  for (const fieldCase of cases) {
    console.log(`${fieldCase.id} ${fieldCase.title}`);
    const result = await play(fieldCase, size);
    print(result);
    played.push(result);
  }
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(played));
  if (values.full && cases.length === CASES.length) writePage(played);
  process.exitCode = played.some(({ wrong }) => wrong.length > 0) ? 1 : 0;
}

function playedIn(file: string): readonly Played[] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(read)) return read as Played[]; // What `--json` wrote, which this script alone reads.
  } catch (error) {
    throw new Refusal(`--page ${file} cannot be read: ${String(error)}`);
  }
  throw new Refusal(`--page ${file} is not what --json writes`);
}

function writePage(parts: readonly Played[]): void {
  const played = CASES.map(({ id }) => {
    const [found, ...more] = parts.filter((part) => part.id === id && part.size === 'full');
    if (found === undefined || more.length > 0) throw new Refusal(`${id} has to be played in full size once`);
    return found;
  });
  const commit = presentCommit();
  const date = new Date().toISOString().slice(0, 10);
  const machine = `Linux, ${availableParallelism()} cores, Node ${process.versions.node}`;
  writeFileSync(join(root, 'docs/FIELD-FAILURES.md'), casesPage(played, { date, commit, machine }));
  console.log('written: docs/FIELD-FAILURES.md');
}

await refusing(main);
