import type { CDPSession } from 'puppeteer-core';

/** The types of all listeners on window and document that the script at this path has added. */
export async function listenersOf(cdp: CDPSession, path: string): Promise<readonly string[]> {
  const scripts = new Map<string, string>();
  cdp.on('Debugger.scriptParsed', ({ scriptId, url }) => void scripts.set(scriptId, url));
  await cdp.send('Debugger.enable');
  const types: string[] = [];
  for (const expression of ['window', 'document']) {
    const { result } = await cdp.send('Runtime.evaluate', { expression });
    if (result.objectId === undefined) throw new Error(`${expression} is no object`);
    const { listeners } = await cdp.send('DOMDebugger.getEventListeners', { objectId: result.objectId });
    for (const { type, scriptId } of listeners) if (scripts.get(scriptId)?.endsWith(path) === true) types.push(type);
  }
  await cdp.send('Debugger.disable');
  return types;
}
