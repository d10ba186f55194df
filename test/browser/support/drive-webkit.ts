import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../../../scripts/support/system.ts';
import { within } from '../../real/support/waiting.ts';
import { OneAtATime } from './contexts.ts';
import type { Driven, Driver } from './driver.ts';
import { rendererOf } from './renderer.ts';
import { WebDriver } from './web-driver.ts';

const DRIVER = onPath('WebKitWebDriver');
const DISPLAY = onPath('Xvfb');

/** A program for tests that Debian puts beside the library, under the machine's architecture. */
function miniBrowser(): string | null {
  if (!existsSync('/usr/lib')) return null;
  const paths = readdirSync('/usr/lib').map((folder) => join('/usr/lib', folder, 'webkit2gtk-4.1/MiniBrowser'));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** Where all is there that it takes: the folder's MiniBrowser. */
export const WEBKIT = DRIVER === null || DISPLAY === null ? null : miniBrowser();

const STARTS_MS = 30_000;

/** By plain WebDriver, on a display without a screen: WebKitGTK has no mode without one. */
export async function driveWebKit(): Promise<Driver> {
  if (DRIVER === null || WEBKIT === null) throw new Error('no WebKitWebDriver or Xvfb: run `npm run setup`');
  await using opened = new AsyncDisposableStack();
  const { child, display } = await screen();
  opened.defer(() => void child.kill());
  const capabilities = { 'webkitgtk:browserOptions': { binary: WEBKIT, args: ['--automation'] } };
  const driver = opened.use(await WebDriver.start(DRIVER, display, capabilities));
  const ends = opened.move();
  const opens = new OneAtATime();
  return {
    name: 'WebKitGTK',
    version: driver.version,
    // All its windows are of one profile: it has no other.
    open: (url) => opens.run(() => WebKitPage.open(driver, url)),
    [Symbol.asyncDispose]: () => ends.disposeAsync(),
  };
}

/** A display of its own, under a number that is free. */
async function screen(): Promise<{ readonly child: ChildProcess; readonly display: string }> {
  const args = ['-displayfd', '3', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'];
  const child = spawn(DISPLAY ?? '', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const told = new Promise<string>((resolve, reject) => {
    child.stdio[3]?.once('data', (number: Buffer) => resolve(String(number).trim()));
    child.once('error', reject);
  });
  return { child, display: `:${await within(told, STARTS_MS, 'Xvfb opens a display')}` };
}

/** In a window of its own, which has a renderer of its own. */
class WebKitPage implements Driven {
  readonly pid: number;
  readonly chromium = null;
  readonly #driver: WebDriver;
  readonly #handle: string;

  private constructor(driver: WebDriver, handle: string, pid: number) {
    this.#driver = driver;
    this.#handle = handle;
    this.pid = pid;
  }

  static async open(driver: WebDriver, url: string): Promise<Driven> {
    const made = await driver.inWindow(driver.first, (command) => command('POST', '/window/new', { type: 'window' }));
    const { handle } = made as { handle: string }; // By the standard.
    await driver.inWindow(handle, (command) => command('POST', '/url', { url }));
    const pid = await rendererOf(driver.pid, (expression) => evaluate(driver, handle, expression));
    return new WebKitPage(driver, handle, pid);
  }

  evaluate(expression: string): Promise<void> {
    return evaluate(this.#driver, this.#handle, expression);
  }

  async goTo(url: string): Promise<void> {
    await this.#driver.inWindow(this.#handle, (command) => command('POST', '/url', { url }));
  }

  async reload(): Promise<void> {
    await this.#driver.inWindow(this.#handle, (command) => command('POST', '/refresh', {}));
  }

  async close(): Promise<void> {
    await this.#driver.inWindow(this.#handle, (command) => command('DELETE', '/window'));
  }

  /** Its window is made small, and with it all that is in it: this browser does not bring a tab to the front. */
  async hide(): Promise<void> {
    await this.#driver.inWindow(this.#handle, (command) => command('POST', '/window/minimize', {}));
  }

  async show(): Promise<void> {
    const rect = { x: 0, y: 0, width: 800, height: 600 };
    await this.#driver.inWindow(this.#handle, (command) => command('POST', '/window/rect', rect));
  }
}

async function evaluate(driver: WebDriver, handle: string, expression: string): Promise<void> {
  await driver.inWindow(handle, (command) => command('POST', '/execute/sync', { script: expression, args: [] }));
}
