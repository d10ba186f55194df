/** Prints docs/CODES.md from the registry of codes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codesPage } from './support/codes-page.ts';
import { root } from './support/files.ts';

writeFileSync(join(root, 'docs/CODES.md'), codesPage());
