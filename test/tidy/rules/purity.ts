import { Visitor, type ESTree } from 'vite';
import { complaint, type Parsed } from './parsed.ts';

/** Globals whose mere name in core is a read of a clock, of chance or of a platform, or a log. `window` is a word of ours. */
const FORBIDDEN = new Set([
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'fetch',
  'globalThis',
  'navigator',
  'performance',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
]);

/** Of these some uses depend on their arguments alone. */
const PURE_OF_DATE = new Set(['UTC', 'parse']);

/** Reads of a clock, of chance, of timers or of the console, and every `await`: none of them belongs in core. */
export function impureReads(file: Parsed): readonly string[] {
  const found: string[] = [];
  const say = (offset: number, what: string): void => void found.push(complaint(file, offset, `${what} in core`));
  const namesOnly = new Set<unknown>();
  const pureUses = new Set<unknown>();
  new Visitor({
    MemberExpression: (node) => {
      if (!node.computed) namesOnly.add(node.property);
      if (isPureUse(node)) pureUses.add(node.object);
    },
    Property: (node) => {
      if (!node.computed && !node.shorthand) namesOnly.add(node.key);
    },
    TSPropertySignature: (node) => void namesOnly.add(node.key),
    TSMethodSignature: (node) => void namesOnly.add(node.key),
    PropertyDefinition: (node) => void namesOnly.add(node.key),
    MethodDefinition: (node) => void namesOnly.add(node.key),
    NewExpression: (node) => {
      if (node.arguments.length > 0) pureUses.add(node.callee);
    },
    AwaitExpression: (node) => say(node.start, 'await'),
    Identifier: (node) => {
      if (namesOnly.has(node)) return;
      if (FORBIDDEN.has(node.name)) say(node.start, node.name);
      if ((node.name === 'Date' || node.name === 'Math') && !pureUses.has(node))
        say(node.start, `this use of ${node.name}`);
    },
  }).visit(file.program);
  // A shorthand property is visited twice, as key and as value.
  return [...new Set(found)];
}

function isPureUse(node: ESTree.MemberExpression): boolean {
  if (node.object.type !== 'Identifier' || node.computed || node.property.type !== 'Identifier') return false;
  if (node.object.name === 'Date') return PURE_OF_DATE.has(node.property.name);
  return node.object.name === 'Math' && node.property.name !== 'random';
}
