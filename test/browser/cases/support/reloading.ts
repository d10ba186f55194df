import { now } from '../../../real/support/log.ts';
import type { Tab } from '../../support/tab.ts';

/** Loads the tab's page again. Resolves with when the page before heard that it goes. */
export async function reloadTab(tab: Tab): Promise<bigint> {
  const since = now();
  await tab.reload();
  return (await tab.told('pagehide', since)).at;
}
