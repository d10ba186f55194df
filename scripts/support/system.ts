import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that some tests start, and the Debian package (or packages) that bring it. */
export interface Need {
  readonly command: string;
  readonly package: string;
  /** The tests that are skipped without it, in words. */
  readonly tests: string;
}

export const NEEDS: readonly Need[] = [
  { command: 'strace', package: 'strace', tests: 'the tests of a slow and a failing disk (test/real)' },
  { command: 'spin', package: 'spin', tests: 'the model of the protocol (test/model)' },
  { command: 'gcc', package: 'gcc libc6-dev', tests: 'the model of the protocol (test/model)' },
  {
    command: 'faketime',
    package: 'libfaketime faketime',
    tests: 'the tests of a wall clock that is stepped (test/real)',
  },
  { command: 'ip', package: 'iproute2', tests: 'the tests of a link that is taken down (test/chaos)' },
  { command: 'chromium', package: 'chromium', tests: 'the tests in a browser (test/browser)' },
  { command: 'firefox-esr', package: 'firefox-esr', tests: 'the stories of tabs in Firefox (test/browser)' },
  {
    // Its library brings MiniBrowser, the browser that it drives.
    command: 'WebKitWebDriver',
    package: 'webkit2gtk-driver',
    tests: 'the stories of tabs in WebKitGTK (test/browser)',
  },
  { command: 'Xvfb', package: 'xvfb', tests: 'the stories of tabs in WebKitGTK (test/browser)' },
];

/** Where `command` is found on the path, or null. */
export function onPath(command: string): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, command);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder: that is what the loop is for.
    }
  }
  return null;
}
