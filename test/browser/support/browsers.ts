import { CHROMIUM } from './browser.ts';
import { driveChromium } from './drive-chromium.ts';
import { driveFirefox, FIREFOX } from './drive-firefox.ts';
import { driveWebKit, WEBKIT } from './drive-webkit.ts';
import type { BrowserName, Driver } from './driver.ts';

export interface BrowserHere {
  readonly name: BrowserName;
  /** Where it is; null: not on this machine (`npm run setup` installs it). */
  readonly path: string | null;
  readonly start: () => Promise<Driver>;
}

export const BROWSERS: readonly BrowserHere[] = [
  { name: 'Chromium', path: CHROMIUM, start: driveChromium },
  { name: 'Firefox', path: FIREFOX, start: driveFirefox },
  { name: 'WebKitGTK', path: WEBKIT, start: driveWebKit },
];
