/**
 * Traces of the place and the tools with which a file was made. A reader elsewhere has neither. The patterns are put
 * together here, so that this file holds none of what it looks for.
 */
const FOLDERS = ['home/[a-z]', 'Users/[A-Za-z]', 'root/', 'work/', 'tmp/[a-z]/'];
const TOOLS = [
  ['clau', 'de'],
  ['anth', 'ropic'],
  ['open', 'ai'],
  ['chat', 'gpt'],
  ['cop', 'ilot'],
  ['sub', 'agent'],
];

const PLACE = new RegExp(`(?<![\\w.:/-])/(?:${FOLDERS.join('|')})`);
const TOOL = new RegExp(`\\b(?:${TOOLS.map((parts) => parts.join('-?')).join('|')})`, 'i');

export function tracesIn(path: string, text: string): readonly string[] {
  const found: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    for (const pattern of [PLACE, TOOL]) {
      const match = pattern.exec(line);
      if (match !== null) found.push(`${path}:${index + 1} holds "${match[0]}"`);
    }
  }
  return found;
}

/** Packages that a lock file takes from anywhere but npm's registry: another machine may not reach it. */
export const foreignPackages = (lock: string): readonly string[] =>
  [...lock.matchAll(/"resolved": "([^"]+)"/g)]
    .map(([, url = '']) => url)
    .filter((url) => !url.startsWith('https://registry.npmjs.org/') && url !== 'client' && url !== 'server');
