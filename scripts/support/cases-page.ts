import type { Played } from '../../test/real/support/field-case.ts';

export interface PlayedAt {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
}

/** docs/FIELD-FAILURES.md: each case as it was written, with what was measured against what is right. */
export function casesPage(played: readonly Played[], { date, commit, machine }: PlayedAt): string {
  const failed = played.filter(({ wrong }) => wrong.length > 0);
  return `${[
    '# Field failures',
    '',
    'What broke for people who run leases, locks and elections, played against the built coordinator and client: real processes, real sockets, a relay that fails on purpose, and tabs of a real Chromium (F35-TABS, F39 to F45: `test/browser/cases`). Each run is also judged by the oracles of `test/real/support/oracles.ts` (order of tokens, beliefs that never overlap, no belief past the local deadline, one loss per token, nothing that hangs).',
    '',
    'This page is written by `npm run cases -- --full`; a short size of each case runs with `npm test`.',
    '',
    `Played on ${date} at commit ${commit}, on ${machine}: ${played.length - failed.length} of ${played.length} as they are right.`,
    ...played.flatMap(section),
  ].join('\n')}\n`;
}

function section({ id, title, tookMs, measured, wrong }: Played): readonly string[] {
  return [
    '',
    `## ${id}`,
    '',
    `${title}. Took ${(tookMs / 1_000).toFixed(0)} s.`,
    '',
    '| | measured | right | |',
    '| --- | --- | --- | --- |',
    ...measured.map(
      ({ what, value, right, ok }) => `| ${cell(what)} | ${cell(value)} | ${cell(right)} | ${ok ? 'yes' : '**no**'} |`,
    ),
    ...(wrong.length === 0 ? [] : ['', 'Wrong:', '', ...wrong.map((line) => `- ${line.split('\n')[0] ?? ''}`)]),
  ];
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
