import { Visitor, type ESTree } from 'vite';
import { complaint, hasReason, type Parsed } from './parsed.ts';

const TESTERS = new Set(['test', 'it', 'describe', 'suite', 'bench']);
const VAGUE = /\b(should|works|correctly|properly)\b/i;
const SKIPS = new Set(['skip', 'skipIf', 'runIf', 'todo', 'fails']);

/** The title of a test or a suite; what is put into a template shows as `$`. */
export interface Title {
  readonly text: string;
  readonly start: number;
}

export function titlesOf(file: Parsed): readonly Title[] {
  const found: Title[] = [];
  new Visitor({
    CallExpression: (node) => {
      const [first] = node.arguments;
      if (first === undefined || !isTester(node.callee)) return;
      const text = textOf(first);
      if (text !== null) found.push({ text, start: node.start });
    },
  }).visit(file.program);
  return found;
}

export const vagueTitles = (file: Parsed): readonly string[] =>
  titlesOf(file)
    .filter((title) => VAGUE.test(title.text))
    .map((title) => complaint(file, title.start, `"${title.text}" is no rule; say what happens`));

/** `.only` anywhere; `.skip` and its like without a reason beside them. */
export function leftOut(file: Parsed): readonly string[] {
  const found: string[] = [];
  new Visitor({
    MemberExpression: (node) => {
      if (node.computed || node.property.type !== 'Identifier' || !isTester(node.object)) return;
      const { name } = node.property;
      if (name === 'only') found.push(complaint(file, node.start, '.only leaves out every other test'));
      if (SKIPS.has(name) && !hasReason(file, node.start))
        found.push(complaint(file, node.start, `.${name} without a reason`));
    },
  }).visit(file.program);
  return found;
}

function isTester(node: ESTree.Expression): boolean {
  if (node.type === 'MemberExpression') return isTester(node.object);
  if (node.type === 'CallExpression') return isTester(node.callee);
  return node.type === 'Identifier' && TESTERS.has(node.name);
}

function textOf(node: ESTree.Argument): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return null;
  return node.quasis.map((part) => part.value.cooked ?? '').join('$');
}
