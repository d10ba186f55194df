import type { Settings } from './settings.ts';

/** A box that says what `dev` relaxes, so that nobody takes it for `serve`. */
export function devNotice(settings: Settings, urls: readonly string[], examples: readonly string[]): string {
  const lines = [
    'leasehold dev: for this machine only',
    '- no authentication: every process here may take and end leases',
    '- pages of any loopback origin may connect, at any port',
    settings.data === null
      ? '- in memory: leases and states end with this process (--data FILE keeps them)'
      : `- leases and states are kept in ${settings.data}`,
    `- listens on ${urls.join(' and ')}`,
    ...examples.map((path) => `- try it: ${urls[0] ?? ''}/${path} in two or three tabs`),
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const bar = '─'.repeat(width + 2);
  return [`┌${bar}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${bar}┘`, ''].join('\n');
}
