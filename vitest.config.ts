import { defineConfig } from 'vitest/config';
import { fileURLToPath } from 'node:url';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^leasehold$/, replacement: source('client/index.ts') },
      { find: /^leasehold-server$/, replacement: source('server/index.ts') },
    ],
  },
  test: {
    reporters: ['default', ['json', { outputFile: 'build/tests.json' }]],
    projects: [
      {
        extends: true,
        test: { name: 'pure', include: ['test/unit/**/*.test.ts', 'test/tables/**/*.test.ts', 'test/tidy/**/*.test.ts'], testTimeout: 20_000 },
      },
      {
        extends: true,
        // Real sockets, processes and disks with tolerances under 250 ms: one file at a time.
        test: {
          name: 'real',
          include: ['test/real/**/*.test.ts', 'test/packed/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
