/** Removes what the build and the tests made; never a database. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './support/files.ts';

for (const folder of ['build', 'client/dist', 'server/dist', 'coverage'])
  rmSync(join(root, folder), { recursive: true, force: true });
