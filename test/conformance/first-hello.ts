import { randomBytes } from 'node:crypto';
import { Line, Peer } from './peer.ts';
import { SOCKET_PATH, SUBPROTOCOL } from './play.ts';

const WITHIN_MS = 5_000;

/** Why no coordinator can be at that URL; null: it is one that sockets can be opened to. */
export function noUrl(text: string): string | null {
  if (!URL.canParse(text)) return 'it is no URL';
  const { protocol, hash, search } = new URL(text);
  if (protocol !== 'ws:' && protocol !== 'wss:') return 'it begins with neither ws:// nor wss://';
  return hash === '' && search === '' ? null : 'a path is put behind it, so that it ends with neither ? nor #';
}

/** Why nobody can be played with there; null: whoever is there answers a hello, right or wrong. */
export async function silenceAt(url: string): Promise<string | null> {
  const peer = new Peer(`conformance-${randomBytes(6).toString('hex')}`);
  const line = new Line(peer, { url: `${url}${SOCKET_PATH}`, subprotocol: SUBPROTOCOL, pong: true });
  try {
    await line.opened(WITHIN_MS);
    line.send([{ type: 'hello', protocolMin: 1, protocolMax: 1, instance: peer.instance, dial: 1 }], true);
    const heard = await line.until(() => (line.heard.length > 0 ? 'answer' : line.closing && 'closed'), WITHIN_MS);
    if (heard === 'answer') return null;
    return heard === 'closed' ? 'the socket is closed without an answer' : `no answer within ${WITHIN_MS} ms`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    if (line.isWelcome && line.isOpen) line.send([{ type: 'bye', keepMs: 0 }], true);
    line.close();
    await line.until(() => line.closing, 1_000);
    line.cut();
  }
}
