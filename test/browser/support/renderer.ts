import { readFileSync } from 'node:fs';
import type { Browser, CDPSession } from 'puppeteer-core';

const GROWS_KB = 64 * 1024;
const TRIES = 3;

/**
 * The process id of the renderer that a page runs in. No interface names it, so the page is made to use memory for a
 * moment, and the renderer is the one that grew by so much.
 */
export async function rendererOf(browser: Browser, page: CDPSession): Promise<number> {
  const session = await browser.target().createCDPSession();
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await rendererSizes(session);
      await page.send('Runtime.evaluate', {
        expression: `globalThis.ballast = new Uint8Array(${GROWS_KB * 1024}).fill(1)`,
      });
      const growth = [...(await rendererSizes(session))].map(([pid, kb]) => ({
        pid,
        kb: kb - (before.get(pid) ?? kb),
      }));
      await page.send('Runtime.evaluate', { expression: 'delete globalThis.ballast' });
      const [most, ...others] = growth.toSorted((a, b) => b.kb - a.kb);
      if (most !== undefined && most.kb > 0.9 * GROWS_KB && (others[0]?.kb ?? 0) < GROWS_KB / 2) return most.pid;
    }
  } finally {
    await session.detach();
  }
  throw new Error(`no renderer grows alone in ${TRIES} tries`);
}

/** Memory of its own, in KB, by process id. */
async function rendererSizes(session: CDPSession): Promise<ReadonlyMap<number, number>> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return new Map(processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => [id, ownKb(id)]));
}

function ownKb(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // Chromium keeps one in reserve, and may have ended it meanwhile.
    return 0;
  }
}
