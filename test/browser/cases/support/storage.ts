import type { Tab } from '../../support/tab.ts';

/** What the library keeps in a tab's session storage begins so. */
const OURS = 'leasehold ';

export type Stored = Readonly<Record<string, string>>;

export async function storedIn({ cdp }: Tab): Promise<Stored> {
  const expression = `JSON.stringify(Object.fromEntries(Object.entries(sessionStorage).filter(([key]) => key.startsWith('${OURS}'))))`;
  const { result } = await cdp.send('Runtime.evaluate', { expression });
  return JSON.parse(String(result.value)) as Stored; // Storage holds text by text.
}

/** As a browser does for a tab that is duplicated. */
export async function copyInto({ cdp }: Tab, stored: Stored): Promise<void> {
  const expression = `Object.assign(sessionStorage, ${JSON.stringify(stored)}); undefined`;
  await cdp.send('Runtime.evaluate', { expression });
}
