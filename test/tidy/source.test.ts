import { describe, expect, test } from 'vitest';
import { castsWithoutReason } from './rules/casts.ts';
import { parsed } from './rules/parsed.ts';
import { impureReads } from './rules/purity.ts';
import { FILE_LINES_MAX, FUNCTION_LINES_MAX, tooLong } from './rules/size.ts';
import { coreSources, sources } from './sources.ts';

const impure = (code: string): readonly string[] => impureReads(parsed('shared/planted.ts', code));
const casts = (code: string): readonly string[] => castsWithoutReason(parsed('shared/planted.ts', code));
const lines = (count: number): string => 'x();\n'.repeat(count);

describe('core', () => {
  test('reads no clock, no chance, no timer, no console, and awaits nothing', () => {
    expect(coreSources().length).toBeGreaterThan(10);
    expect(coreSources().flatMap(impureReads)).toEqual([]);
  });

  test.each([
    'const now = Date.now();',
    'const { now } = Date;',
    'const at = new Date();',
    'const at = new Date;',
    'const chance = Math.random();',
    'const clock = performance.now();',
    'const { random } = Math;',
    'setTimeout(() => undefined, 1);',
    'const later = setImmediate;',
    'console.log(1);',
    'const id = crypto.randomUUID();',
    'const now = globalThis.Date.now();',
    'export async function f() { await g(); }',
    'const tools = { performance };',
  ])('%s is refused there', (code) => {
    expect(impure(code)).toHaveLength(1);
  });

  test.each([
    'const from = Date.UTC(2026, 10, 1);',
    'const at = new Date(0);',
    'const most = Math.max(1, 2);',
    'const clock = port.performance.now();',
    'const port = { console: 1 };',
    'interface Port { setTimeout(): void; readonly process: number }',
  ])('%s is allowed there', (code) => {
    expect(impure(code)).toEqual([]);
  });

  test('gives a reason for each type assertion', () => {
    expect(coreSources().flatMap(castsWithoutReason)).toEqual([]);
  });

  test.each(['const x = y as Z;', 'const x = y!;', 'let x: any;', 'const f = (y: unknown) => {\n  return y as Z;\n};'])(
    '%s is refused there',
    (code) => {
      expect(casts(code)).toHaveLength(1);
    },
  );

  test.each([
    'const x = { y: 1 } as const;',
    'const f = (y: number): Z => y as Z;',
    'function f(y: number): Z {\n  return y as Z;\n}',
    '// The table was held against it.\nconst x = y as Z;',
    'const x = y as Z; // Checked above.',
  ])('%s is allowed there', (code) => {
    expect(casts(code)).toEqual([]);
  });
});

describe('size', () => {
  test(`no file has over ${FILE_LINES_MAX} lines, no function over ${FUNCTION_LINES_MAX}`, () => {
    expect(sources().flatMap(tooLong)).toEqual([]);
  });

  test.each([
    ['a file', lines(FILE_LINES_MAX + 1)],
    ['a function', `function f() {\n${lines(FUNCTION_LINES_MAX)}}\n`],
    ['an arrow function', `const f = () => {\n${lines(FUNCTION_LINES_MAX)}};\n`],
    ['a method', `class A {\nf() {\n${lines(FUNCTION_LINES_MAX)}}\n}\n`],
    ['a test in a suite', `describe('a', () => {\ntest('b', () => {\n${lines(FUNCTION_LINES_MAX)}});\n});\n`],
  ])('%s that is too long is refused', (_, code) => {
    expect(tooLong(parsed('shared/planted.ts', code))).toHaveLength(1);
  });

  test.each([
    ['a file', lines(FILE_LINES_MAX)],
    ['a function', `function f() {\n${lines(FUNCTION_LINES_MAX - 2)}}\n`],
    ['a suite', `describe('a', () => {\n${lines(FUNCTION_LINES_MAX * 2)}});\n`],
  ])('%s of the greatest length is allowed', (_, code) => {
    expect(tooLong(parsed('shared/planted.ts', code))).toEqual([]);
  });
});
