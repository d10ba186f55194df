import { msBetween } from '../../real/support/log.ts';
import type { ChaosRun, Verdict } from '../run.ts';
import { gapsOf, handOversIn } from './hand-overs.ts';
import { clock } from './markup.ts';

/** Violations that are written out; run.json has all of them. */
const VIOLATIONS_SHOWN = 50;

/** `report.md`. */
export function pageOf(run: ChaosRun, verdict: Verdict): string {
  const lastMs = msBetween(run.from, run.to);
  const parts = [
    '# A run of faults',
    `**${inShort(verdict)}** in ${clock(lastMs)} minutes, ${run.faults.length} faults on real processes.`,
    '![Who believed what, when: a lane for each name, a bar for each belief, and what was broken meanwhile](timeline.svg)',
    table(
      ['', ''],
      [
        ['date', run.date],
        ['commit', code(run.commit)],
        ['command', code(run.command)],
        ['seed', String(run.seed)],
        ['machine', plain(run.machine)],
        ['kinds of faults that it can play', playableIn(run)],
        ['clients, over all restarts', String(run.clients.length)],
        ['names', run.names.map(code).join(', ')],
        ['entries of the log', String(run.entries.length)],
      ],
    ),
    '## Violations',
    violationsOf(verdict),
    '## What it contained',
    table(['what', 'how often'], Object.entries(verdict.counts).filter(isNoFault).map(countRow), 1),
    '## Faults',
    table(['kind', 'number', 'total, s', 'longest, s'], faultRows(run), 1),
    '## Hand-overs',
    'From the end of one belief to the beginning of the next holder\'s, in ms; a name for which nobody waited counts as well. "With faults": meanwhile the coordinator, its disk or the process of one of the two was broken.',
    table(
      ['name', '', 'number', 'p50', 'p99', 'max'],
      gapsOf(handOversIn(run)).map(({ name, disturbed, count, p50, p99, max }) => [
        code(name),
        disturbed ? 'with faults' : '',
        String(count),
        ...[p50, p99, max].map((ms) => ms.toFixed(1)),
      ]),
      2,
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function playableIn({ leftOut }: ChaosRun): string {
  if (leftOut === null) return 'not noted';
  return leftOut.length === 0 ? 'all' : `all but ${leftOut.map(code).join(', ')}`;
}

const inShort = ({ violations }: Verdict): string =>
  violations.length === 0 ? 'No violation' : `${violations.length} violation${violations.length === 1 ? '' : 's'}`;

const isNoFault = ([what]: readonly [string, number]): boolean => !what.startsWith('fault ');

const countRow = ([what, count]: readonly [string, number]): readonly string[] => [
  what.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ ms$/, ', ms'),
  count === 0 ? '**0**: not shown' : String(count),
];

function violationsOf({ violations }: Verdict): string {
  if (violations.length === 0) return 'None.';
  const shown = violations.slice(0, VIOLATIONS_SHOWN).map((violation) => `- ${plain(violation)}`);
  const left = violations.length - shown.length;
  return [...shown, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}

function faultRows({ faults }: ChaosRun): readonly (readonly string[])[] {
  return [...Map.groupBy(faults, ({ kind }) => kind)]
    .map(([kind, spans]) => {
      const seconds = spans.map(({ from, to }) => msBetween(from, to) / 1_000);
      const total = seconds.reduce((sum, one) => sum + one, 0);
      return [kind, String(spans.length), total.toFixed(1), Math.max(...seconds).toFixed(1)];
    })
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

/** The columns from `numbers` on are numbers. */
function table(head: readonly string[], rows: readonly (readonly string[])[], numbers = head.length): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index < numbers ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

const code = (text: string): string => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;

/** Words of others: no markup, no new cell, no new line. */
const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|]/g, (one) => `\\${one}`);
