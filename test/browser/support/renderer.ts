import type { Browser, CDPSession } from 'puppeteer-core';

const SPIN_MS = 150;
const TRIES = 5;

/**
 * The process id of the renderer that a page runs in. No interface names it, so the page is made to work for a moment,
 * and the renderer is the one whose processor time that went into.
 */
export async function rendererOf(browser: Browser, page: CDPSession): Promise<number> {
  const session = await browser.target().createCDPSession();
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await rendererTimes(session);
      await page.send('Runtime.evaluate', {
        expression: `{ const until = performance.now() + ${SPIN_MS}; while (performance.now() < until); }`,
      });
      const worked = [...(await rendererTimes(session))]
        .map(([pid, ms]) => ({ pid, ms: ms - (before.get(pid) ?? 0) }))
        .toSorted((a, b) => b.ms - a.ms);
      const [most, next] = worked;
      if (most !== undefined && most.ms > SPIN_MS / 2 && (next?.ms ?? 0) < most.ms / 2) return most.pid;
    }
  } finally {
    await session.detach();
  }
  throw new Error(`no renderer stands out after ${TRIES} tries`);
}

async function rendererTimes(session: CDPSession): Promise<ReadonlyMap<number, number>> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return new Map(processInfo.filter(({ type }) => type === 'renderer').map(({ id, cpuTime }) => [id, cpuTime * 1_000]));
}
