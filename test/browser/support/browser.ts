import puppeteer, { type Browser } from 'puppeteer-core';
import { onPath } from '../../../scripts/support/system.ts';

export const CHROMIUM = onPath('chromium');

const ARGS = [
  // The tests run as root in a container, and load no page but their own.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** What puppeteer adds by itself and no user has: with these a hidden page is not throttled. */
const NOT_AS_USERS_HAVE_IT = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
];

export function launch(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('no chromium on the path: run `npm run setup`');
  return puppeteer.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: ARGS,
    ignoreDefaultArgs: NOT_AS_USERS_HAVE_IT,
  });
}
