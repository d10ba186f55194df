import { msBetween, type Entry, type Messages } from '../../real/support/log.ts';

const LINES_MAX = 250;

/** The end of a run's log in words, in the order of time: what a failed test prints. */
export function story(entries: readonly Entry[]): string {
  const sorted = entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const start = sorted[0]?.at ?? 0n;
  const lines = sorted.flatMap((entry) => {
    const text = wordsOf(entry);
    return text === null ? [] : [`${msBetween(start, entry.at).toFixed(1).padStart(10)} ms  ${entry.client}  ${text}`];
  });
  return lines.slice(-LINES_MAX).join('\n');
}

/** Null: nothing that a reader needs. */
function wordsOf(entry: Entry): string | null {
  const { at: _at, client: _client, event, ...rest } = entry;
  if (event !== 'sent' && event !== 'received') return `${event} ${fieldsOf(rest)}`;
  const types = typesOf(entry.event === 'sent' || entry.event === 'received' ? entry.messages : []);
  return types === '' ? null : `${event} ${types}`;
}

const fieldsOf = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

/** Pings are many, and say nothing here. */
const typesOf = (messages: Messages): string =>
  messages
    .map(({ type }) => (typeof type === 'string' ? type : ''))
    .filter((type) => type !== 'ping' && type !== 'pong')
    .join(', ');
