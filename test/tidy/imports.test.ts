import { describe, expect, test } from 'vitest';
import { importsOf } from './rules/imports.ts';
import { wrongWays } from './rules/layers.ts';
import { parsed } from './rules/parsed.ts';
import { sources } from './sources.ts';

const planted = (path: string, code: string): readonly string[] => wrongWays(importsOf(parsed(path, code)));

describe('imports', () => {
  test('every import of the source leads to a lower layer or stays in its folder', () => {
    expect(sources().flatMap((file) => wrongWays(importsOf(file)))).toEqual([]);
  });

  test.each([
    ['shared/a.ts', `import { x } from '../client/core/b.ts';`],
    ['shared/a.ts', `import type { x } from '../server/core/b.ts';`],
    ['shared/a.ts', `import { x } from 'zod';`],
    ['client/core/a.ts', `import { x } from '../runtime/b.ts';`],
    ['client/core/a.ts', `export { x } from '../../server/core/b.ts';`],
    ['server/core/a.ts', `import { x } from 'node:fs';`],
    ['server/core/a.ts', `const x = await import('../net/b.ts');`],
    ['server/net/a.ts', `import { x } from '../../client/core/b.ts';`],
    ['server/net/a.ts', `import { x } from '../journal/b.ts';`],
    ['server/net/a.ts', `import { connect } from 'leasehold';`],
    ['server/journal/a.ts', `let x: import('../coordinator.ts').Coordinator;`],
    ['client/runtime/a.ts', `import { x } from 'ws';`],
    ['client/index.ts', `export * from '../server/index.ts';`],
    ['server/cli/a.ts', `import { x } from '../../test/support/a.ts';`],
    ['server/elsewhere/a.ts', `import { x } from '../../shared/a.ts';`],
  ])('%s with %s is refused', (path, code) => {
    expect(planted(path, code)).toHaveLength(1);
  });

  test.each([
    ['client/core/a.ts', `import { x } from '../../shared/b.ts';`],
    ['client/core/deep/a.ts', `import { x } from '../b.ts';`],
    ['server/net/a.ts', `import { WebSocketServer } from 'ws';`],
    ['server/coordinator.ts', `import { x } from './journal/b.ts';`],
    ['server/cli/a.ts', `import { connect } from 'leasehold';`],
    ['client/testing/a.ts', `import { x } from '../../server/core/b.ts';`],
    ['test/unit/a.test.ts', `import { x } from '../../server/core/b.ts';`],
  ])('%s with %s is allowed', (path, code) => {
    expect(planted(path, code)).toEqual([]);
  });
});
