import { posix } from 'node:path';
import { Visitor } from 'vite';
import type { Parsed } from './parsed.ts';

/** One import: where it stands, and what it leads to. */
export interface Import {
  readonly from: string;
  readonly line: number;
  /** A path in the repository, or the name of a package (`node` for every builtin). */
  readonly to: string;
}

/** Every import of a file: static, re-exported, dynamic and of types. */
export function importsOf(file: Parsed): readonly Import[] {
  const found: Import[] = [];
  const add = (specifier: unknown, offset: number): void => {
    if (typeof specifier === 'string')
      found.push({ from: file.path, line: file.lineAt(offset), to: target(file.path, specifier) });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, node.start),
    ExportAllDeclaration: (node) => add(node.source.value, node.start),
    ExportNamedDeclaration: (node) => add(node.source?.value, node.start),
    ImportExpression: (node) => add(node.source.type === 'Literal' ? node.source.value : undefined, node.start),
    TSImportType: (node) => add(node.source.value, node.start),
  }).visit(file.program);
  return found;
}

function target(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  if (specifier.startsWith('node:')) return 'node';
  const [scope = '', name = ''] = specifier.split('/');
  return specifier.startsWith('@') ? `${scope}/${name}` : scope;
}
