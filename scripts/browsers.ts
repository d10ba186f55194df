/** Plays the stories of tabs (test/browser/stories) in Chromium, Firefox and WebKitGTK; writes docs/BROWSERS.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HIDDEN } from '../test/browser/stories/hidden.ts';
import { STORIES } from '../test/browser/stories/registry.ts';
import { playStory, type Story, type StoryPlayed, type StorySize } from '../test/browser/stories/story.ts';
import { BROWSERS, type BrowserHere } from '../test/browser/support/browsers.ts';
import { browsersPage } from './support/browsers-page.ts';
import { presentCommit } from './support/commit.ts';
import { root } from './support/files.ts';
import { openFile } from './support/out-folder.ts';
import { Refusal, refusing } from './support/refusal.ts';
import { wholeOf } from './support/whole.ts';

const DOWN_MS = 8_000;
const SAYS_EVERY_MS = 60_000;

const HELP = `npm run browsers -- [--browser Firefox] [--minutes 10] [--rounds 5] [--json F] [story ...]

Plays what befalls tabs in real browsers, the same stories in each of them: the hidden leaders of all TTLs beside each
other in one browser, the other stories one after the other in a second one.

  --browser B    ${BROWSERS.map(({ name }) => name).join(', ')}; default: all, one after the other
  --minutes N    how long tabs are hidden; default 10, which is what docs/BROWSERS.md is written from
  --rounds N     how often a leader is frozen; default 5
  --json F       also writes what was measured to this file
  --page F,F,F   plays nothing: writes docs/BROWSERS.md from such files, which together have every story of every browser
  --help         this

Ends with 1 when something is not as it is right, with 2 when a browser is missing or nothing could be played.

${STORIES.map(({ id, situation }) => `  ${id.padEnd(12)} ${situation}`).join('\n')}`;

function storiesOf(ids: readonly string[]): readonly Story[] {
  const unknown = ids.filter((id) => !STORIES.some((story) => story.id === id));
  if (unknown.length > 0)
    throw new Refusal(`no such story: ${unknown.join(', ')}; there are ${STORIES.map(({ id }) => id).join(', ')}`);
  return ids.length === 0 ? STORIES : STORIES.filter(({ id }) => ids.includes(id));
}

function browsersOf(name: string | undefined): readonly BrowserHere[] {
  const wanted = BROWSERS.filter((browser) => name === undefined || browser.name.toLowerCase() === name.toLowerCase());
  if (wanted.length === 0)
    throw new Refusal(`no such browser: ${name}; there are ${BROWSERS.map((browser) => browser.name).join(', ')}`);
  const missing = wanted.filter(({ path }) => path === null).map((browser) => browser.name);
  if (missing.length > 0) throw new Refusal(`not on this machine: ${missing.join(', ')}; npm run setup installs it`);
  return wanted;
}

const say = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);

function print({ browser, story, tookMs, measured, cannot, wrong }: StoryPlayed): void {
  say(`${browser} ${story}: ${wrong.length > 0 ? 'WRONG' : 'as it is right'}, ${(tookMs / 1_000).toFixed(1)} s`);
  if (cannot !== null) console.log(`  cannot here: ${cannot}`);
  for (const { what, value, right, ok } of measured)
    console.log(`  ${ok ? 'ok   ' : 'WRONG'} ${what}: ${value} (right: ${right})`);
  for (const line of wrong) console.log(`  ! ${line}`);
}

/** In one browser that is started for them. */
async function playAll(here: BrowserHere, stories: readonly Story[], size: StorySize): Promise<readonly StoryPlayed[]> {
  const played: StoryPlayed[] = [];
  if (stories.length === 0) return played;
  await using driver = await here.start();
  for (const story of stories) {
    say(`${here.name} ${driver.version}: ${story.situation}`);
    const result = await playStory(story, driver, size);
    print(result);
    played.push(result);
  }
  return played;
}

/** What takes long is played beside all the others, which cannot disturb it in a browser of their own. */
async function playIn(here: BrowserHere, stories: readonly Story[], size: StorySize): Promise<readonly StoryPlayed[]> {
  const startedAt = performance.now();
  const stillOn = setInterval(
    () => say(`${here.name}: ${Math.round((performance.now() - startedAt) / 60_000)} min`),
    SAYS_EVERY_MS,
  );
  try {
    const parts = [stories.filter((story) => story === HIDDEN), stories.filter((story) => story !== HIDDEN)];
    return (await Promise.all(parts.map((part) => playAll(here, part, size)))).flat();
  } finally {
    clearInterval(stillOn);
  }
}

function playedIn(file: string): readonly StoryPlayed[] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(read)) return read as StoryPlayed[]; // What `--json` wrote, which this script alone reads.
  } catch (error) {
    throw new Refusal(`--page ${file} cannot be read: ${String(error)}`);
  }
  throw new Refusal(`--page ${file} is not what --json writes`);
}

function writePage(played: readonly StoryPlayed[]): void {
  for (const { name } of BROWSERS)
    for (const { id } of STORIES)
      if (played.filter(({ browser, story }) => browser === name && story === id).length !== 1)
        throw new Refusal(`${id} has to be played in ${name} once`);
  const date = new Date().toISOString().slice(0, 10);
  const machine = `Linux, ${availableParallelism()} cores`;
  writeFileSync(join(root, 'docs/BROWSERS.md'), browsersPage(played, { date, commit: presentCommit(), machine }));
  console.log('written: docs/BROWSERS.md');
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      browser: { type: 'string' },
      minutes: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '5' },
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
  const stories = storiesOf(positionals);
  const browsers = browsersOf(values.browser);
  const hiddenMs = wholeOf('minutes', values.minutes, 1) * 60_000;
  const size = { hiddenMs, rounds: wholeOf('rounds', values.rounds, 1), downMs: DOWN_MS };
  if (values.json !== undefined) openFile(values.json);
  const played: StoryPlayed[] = [];
  for (const here of browsers) played.push(...(await playIn(here, stories, size)));
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(played));
  process.exitCode = played.some(({ wrong }) => wrong.length > 0) ? 1 : 0;
}

await refusing(main);
