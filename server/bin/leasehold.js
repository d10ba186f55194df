#!/usr/bin/env node
// Plain JavaScript and no import at the top: on an older Node better-sqlite3 does not fail, it takes the process down.
const NODE_MAJOR_MIN = 22;
const version = process.versions.node;

if (Number(version.split('.')[0]) < NODE_MAJOR_MIN) {
  process.stderr.write(
    `leasehold: this is Node ${version}, and it needs Node ${NODE_MAJOR_MIN} or newer. Install one from https://nodejs.org, or run: npx -y node@24 ${process.argv[1]}\n`,
  );
  process.exitCode = 1;
} else {
  start().catch(failed);
}

async function start() {
  const { main } = await import('../dist/cli.js');
  process.exitCode = await main(process.argv.slice(2));
  // Nothing is left to do; whatever might still keep the process, does not.
  setTimeout(() => process.exit(), 250).unref();
}

/** @param {unknown} error */
function failed(error) {
  process.stderr.write(`leasehold: ${whatFailed(error)}\n`);
  process.exitCode = 1;
}

/**
 * @param {unknown} error
 * @returns {string}
 */
function whatFailed(error) {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ERR_MODULE_NOT_FOUND' && error.message.includes('dist/cli.js'))
    return 'it is not built. Run: npm run build';
  if (code === 'ERR_DLOPEN_FAILED' || error.message.includes('better_sqlite3')) {
    return `the storage module better-sqlite3 does not load here (${process.platform} ${process.arch}, Node ${version}). Run: npm rebuild better-sqlite3`;
  }
  return error.stack ?? error.message;
}
