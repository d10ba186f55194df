import { defineConfig } from 'vitest/config';
import { fileURLToPath } from 'node:url';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Real sockets, processes, disks and browsers with tolerances under 250 ms: one file at a time. */
const oneAtATime = { fileParallelism: false, testTimeout: 120_000, hookTimeout: 60_000 };

export default defineConfig({
  resolve: {
    alias: [
      { find: /^leasehold$/, replacement: source('client/index.ts') },
      { find: /^leasehold-server$/, replacement: source('server/index.ts') },
    ],
  },
  test: {
    reporters: ['default', 'json'],
    outputFile: { json: 'build/tests.json' },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['test/unit/**/*.test.ts', 'test/tables/**/*.test.ts'],
          exclude: ['**/*.mocked.test.ts'],
          testTimeout: 20_000,
          // A process of its own for each of the many files was three quarters of the loop's time.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'sim', include: ['test/sim/**/*.test.ts'], testTimeout: 60_000 } },
      // What replaces a module of the platform needs module instances of its own.
      { extends: true, test: { name: 'mocked', include: ['test/unit/**/*.mocked.test.ts'] } },
      // One search at a time, each with up to 2 GB.
      { extends: true, test: { name: 'model', include: ['test/model/**/*.test.ts'], ...oneAtATime } },
      { extends: true, test: { name: 'tidy', include: ['test/tidy/**/*.test.ts'], testTimeout: 60_000 } },
      { extends: true, test: { name: 'real', include: ['test/real/**/*.test.ts'], ...oneAtATime } },
      { extends: true, test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], ...oneAtATime } },
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'], ...oneAtATime } },
      { extends: true, test: { name: 'packed', include: ['test/packed/**/*.test.ts'], ...oneAtATime } },
    ],
  },
});
