import type { CDPSession } from 'puppeteer-core';
import { within } from '../../real/support/waiting.ts';
import type { RunLog } from '../../real/support/run-log.ts';
import type { Tab } from './tab.ts';

const CLOSES_MS = 10_000;
const DIALS_MS = 10_000;

/** Ends the shared worker of these tabs, as their browser does when it wants its memory. */
export async function endSharedWorker([tab]: readonly Tab[]): Promise<void> {
  if (tab === undefined) throw new Error('there is no tab');
  const session = await tab.page.browser().target().createCDPSession();
  const closing = session.send('Target.closeTarget', { targetId: await workerIn(session) });
  await within(closing, CLOSES_MS, 'a shared worker ends');
  await session.detach();
}

/** The shared worker of these tabs says nothing any more, and lives. */
export async function hangSharedWorker([tab]: readonly Tab[]): Promise<void> {
  if (tab === undefined) throw new Error('there is no tab');
  const session = await tab.page.browser().target().createCDPSession();
  const { sessionId } = await session.send('Target.attachToTarget', {
    targetId: await workerIn(session),
    flatten: true,
  });
  const worker = session.connection()?.session(sessionId);
  if (worker === null || worker === undefined) throw new Error('nobody can speak to the worker');
  // It is never answered.
  worker.send('Runtime.evaluate', { expression: 'for (;;);' }).catch(() => undefined);
}

async function workerIn(session: CDPSession): Promise<string> {
  // Without a filter of one's own, shared workers are left out.
  const { targetInfos } = await session.send('Target.getTargets', { filter: [{}] });
  const workers = targetInfos.filter(({ type }) => type === 'shared_worker');
  const [worker] = workers;
  if (worker === undefined || workers.length > 1) throw new Error(`there are ${workers.length} shared workers`);
  return worker.targetId;
}

/** The first word of that tab, from `since` on, that its dials go over this. */
export async function goesOver(
  log: RunLog,
  tab: Tab,
  over: 'socket' | 'shared-worker',
  since = 0n,
  ms = DIALS_MS,
): Promise<bigint> {
  const entry = await log.find(
    'transport',
    (told) => told.client === tab.label && told.over === over && told.at >= since,
    ms,
    `${tab.label} goes over the ${over}`,
  );
  return entry.at;
}
