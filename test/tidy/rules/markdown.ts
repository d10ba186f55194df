/** The rows of every table below the heading `title`, up to the next heading of its level or above, without the head rows. */
export function rowsUnder(markdown: string, title: string): readonly (readonly string[])[] {
  return sectionUnder(markdown, title)
    .split('\n')
    .filter((line, index, lines) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1] ?? ''))
    .map((line) => cellsOf(line));
}

/** The text below the heading `title`; empty when there is no such heading. */
export function sectionUnder(markdown: string, title: string): string {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === title);
  if (start === -1) return '';
  const level = levelOf(lines[start] ?? '');
  const length = lines.slice(start + 1).findIndex((line) => levelOf(line) > 0 && levelOf(line) <= level);
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n');
}

/** The texts of the headings of one level below `title`. */
export const headingsUnder = (markdown: string, title: string, level: number): readonly string[] =>
  sectionUnder(markdown, title)
    .split('\n')
    .filter((line) => levelOf(line) === level)
    .map((line) => line.replace(/^#+ /, ''));

/** What stands between backticks. */
export const codesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

export interface Block {
  readonly language: string;
  readonly code: string;
  readonly line: number;
}

export function blocksOf(markdown: string): readonly Block[] {
  const found: Block[] = [];
  for (const match of markdown.matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```$/gm)) {
    const [, language = '', code = ''] = match;
    found.push({ language, code, line: markdown.slice(0, match.index).split('\n').length });
  }
  return found;
}

const isRule = (line: string): boolean => /^\|[\s:|-]+\|$/.test(line);
const levelOf = (line: string): number => /^(#+) /.exec(line)?.[1]?.length ?? 0;
const cellsOf = (line: string): readonly string[] =>
  line
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** Where a page links to within the repository: targets without their fragment, as written. */
export const linksOf = (markdown: string): readonly string[] =>
  [...markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(https?:|mailto:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ''));
