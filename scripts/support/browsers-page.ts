import type { StoryPlayed } from '../../test/browser/stories/story.ts';
import { STORIES } from '../../test/browser/stories/registry.ts';
import { BROWSERS } from '../../test/browser/support/browsers.ts';
import type { BrowserName } from '../../test/browser/support/driver.ts';
import type { PlayedAt } from './cases-page.ts';

/** docs/BROWSERS.md: which browser was put into which situation, how, and what was measured. */
export function browsersPage(played: readonly StoryPlayed[], { date, commit, machine }: PlayedAt): string {
  const names = BROWSERS.map(({ name }) => name);
  const wrong = played.filter((one) => one.wrong.length > 0).length;
  return `${[
    '# Browsers',
    '',
    'What befalls tabs, played in real browsers against the built coordinator and client (`test/browser/stories`). The same story is told in each of them; what a browser cannot do, or what no harness can do to it, stands in its cell. Each run is also judged by the oracles of `test/real/support/oracles.ts`. Chromium is driven by its DevTools protocol, Firefox by WebDriver BiDi, WebKitGTK (MiniBrowser) by WebDriver.',
    '',
    'This page is written by `npm run browsers -- --page FILE,FILE`; a short size of each story runs with `npm test`. More that was played in Chromium alone is in [FIELD-FAILURES.md](FIELD-FAILURES.md) (F35-TABS, F39 to F45).',
    '',
    `Played on ${date} at commit ${commit}, on ${machine}, in ${versionsOf(played)}: ${played.length - wrong} of ${played.length} as they are right.`,
    '',
    `| situation | ${names.join(' | ')} |`,
    `| --- |${names.map(() => ' --- |').join('')}`,
    ...STORIES.map(({ id, situation, how }) => {
      const cells = names.map((name) => cell(resultOf(storyIn(played, name, id), how(name))));
      return `| ${cell(situation)} | ${cells.join(' | ')} |`;
    }),
    '',
    'Not played: Safari, browsers of phones, a machine that sleeps, and the energy saver itself.',
    ...STORIES.flatMap(({ id, situation }) =>
      section(
        situation,
        played.filter(({ story }) => story === id),
      ),
    ),
  ].join('\n')}\n`;
}

const storyIn = (played: readonly StoryPlayed[], browser: BrowserName, id: string): StoryPlayed | undefined =>
  played.find((one) => one.browser === browser && one.story === id);

const versionsOf = (played: readonly StoryPlayed[]): string =>
  [...new Set(played.map(({ browser, version }) => `${browser} ${version}`))].join(', ');

function resultOf(played: StoryPlayed | undefined, how: string): string {
  if (played === undefined) return 'not played';
  if (played.wrong.length > 0) return `**not right**. How: ${how}`;
  return played.cannot === null ? `right. How: ${how}` : `cannot here: ${played.cannot}. Tried: ${how}`;
}

function section(situation: string, played: readonly StoryPlayed[]): readonly string[] {
  return [
    '',
    `## ${situation[0]?.toUpperCase() ?? ''}${situation.slice(1)}`,
    '',
    '| | what | measured | right | |',
    '| --- | --- | --- | --- | --- |',
    ...played.flatMap(({ browser, measured }) =>
      measured.map(
        ({ what, value, right, ok }) =>
          `| ${browser} | ${cell(what)} | ${cell(value)} | ${cell(right)} | ${ok ? 'yes' : '**no**'} |`,
      ),
    ),
    ...played.flatMap(({ browser, wrong }) =>
      wrong.length === 0
        ? []
        : ['', `Wrong in ${browser}:`, '', ...wrong.map((line) => `- ${line.split('\n')[0] ?? ''}`)],
    ),
  ];
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
