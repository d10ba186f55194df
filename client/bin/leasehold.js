#!/usr/bin/env node
// The command of the client's package. The coordinator's package has one of the same name: whichever of the two npm
// has linked, it is the coordinator's that runs, if it is there.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** sysexits.h: a service is unavailable. */
const EXIT_NO_COORDINATOR = 69;

/** The folder of leasehold-server: beside this package, or in the project that the command was called in. */
function serverFolder() {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json'))]) {
    try {
      return dirname(createRequire(from).resolve('leasehold-server/package.json'));
    } catch {
      // Not there: the next place, or the advice below.
    }
  }
  return null;
}

const folder = serverFolder();
if (folder === null) {
  process.stderr.write(
    'leasehold: only the client is installed here. This command gives you a coordinator on ws://127.0.0.1:7400:\n\n  npx leasehold-server dev\n\n',
  );
  process.exitCode = EXIT_NO_COORDINATOR;
} else {
  await import(pathToFileURL(join(folder, 'bin', 'leasehold.js')).href);
}
