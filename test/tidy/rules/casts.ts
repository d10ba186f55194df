import { Visitor, type ESTree } from 'vite';
import { complaint, hasReason, type Parsed } from './parsed.ts';

/**
 * Type assertions without a reason: `as` and `!` say that the writer knows more than the compiler, so they say why,
 * in a comment on the line or above it. Free of it are `as const` and the functions that do nothing but make a branded value.
 */
export function castsWithoutReason(file: Parsed): readonly string[] {
  const found: string[] = [];
  const brands = new Set<unknown>();
  const say = (node: ESTree.Node, what: string): void => {
    if (!hasReason(file, node.start)) found.push(complaint(file, node.start, `${what} without a reason`));
  };
  new Visitor({
    ArrowFunctionExpression: (node) => {
      if (node.body.type === 'TSAsExpression' && file.lineAt(node.start) === file.lineAt(node.end))
        brands.add(node.body);
    },
    FunctionDeclaration: (node) => {
      const [only, ...others] = node.body?.body ?? [];
      if (only?.type === 'ReturnStatement' && others.length === 0) brands.add(only.argument);
    },
    TSAsExpression: (node) => {
      if (!brands.has(node) && !isConst(node.typeAnnotation)) say(node, '"as"');
    },
    TSNonNullExpression: (node) => say(node, '"!"'),
    TSAnyKeyword: (node) => say(node, '"any"'),
  }).visit(file.program);
  return found;
}

const isConst = (type: ESTree.TSType): boolean =>
  type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'const';
