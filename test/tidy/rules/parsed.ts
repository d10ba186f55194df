import { parseSync, type ESTree } from 'vite';

/** A source file as the rules read it. */
export interface Parsed {
  readonly path: string;
  readonly code: string;
  readonly program: ESTree.Program;
  readonly comments: readonly { readonly start: number; readonly end: number; readonly value: string }[];
  readonly lineAt: (offset: number) => number;
}

export function parsed(path: string, code: string): Parsed {
  const result = parseSync(path, code);
  const [problem] = result.errors;
  if (problem !== undefined) throw new Error(`${path} cannot be parsed: ${problem.message}`);
  const starts = [0];
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) starts.push(at + 1);
  return { path, code, program: result.program, comments: result.comments, lineAt: (offset) => lineOf(starts, offset) };
}

/** Number, from 1, of the line that `offset` lies in, by bisection. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? Infinity) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** What a rule says against a place in a file. */
export const complaint = (file: Parsed, offset: number, text: string): string =>
  `${file.path}:${file.lineAt(offset)} ${text}`;

/** Whether a comment stands on the line of `offset` or ends on the line above: the reason that a rule asks for. */
export function hasReason(file: Parsed, offset: number): boolean {
  const line = file.lineAt(offset);
  return file.comments.some((comment) => {
    const end = file.lineAt(comment.end);
    return end === line || end === line - 1;
  });
}
