import { Visitor, type ESTree } from 'vite';
import { complaint, type Parsed } from './parsed.ts';

export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 70;

export function tooLong(file: Parsed): readonly string[] {
  const lines = file.code.split('\n').length - (file.code.endsWith('\n') ? 1 : 0);
  const found = lines > FILE_LINES_MAX ? [`${file.path} has ${lines} lines, allowed are ${FILE_LINES_MAX}`] : [];
  const suites = new Set<unknown>();
  const look = (node: ESTree.Function | ESTree.ArrowFunctionExpression): void => {
    const length = file.lineAt(node.end) - file.lineAt(node.start) + 1;
    if (length <= FUNCTION_LINES_MAX || suites.has(node)) return;
    found.push(complaint(file, node.start, `a function of ${length} lines, allowed are ${FUNCTION_LINES_MAX}`));
  };
  new Visitor({
    // A suite is a list of tests, not a function that does something; each test in it is counted.
    CallExpression: (node) => {
      if (isDescribe(node.callee)) for (const argument of node.arguments) suites.add(argument);
    },
    FunctionDeclaration: look,
    FunctionExpression: look,
    ArrowFunctionExpression: look,
  }).visit(file.program);
  return found;
}

function isDescribe(callee: ESTree.Expression): boolean {
  if (callee.type === 'MemberExpression') return isDescribe(callee.object);
  if (callee.type === 'CallExpression') return isDescribe(callee.callee);
  return callee.type === 'Identifier' && callee.name === 'describe';
}
