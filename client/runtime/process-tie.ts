import { processHere } from './platform.ts';
import type { WebSocketLike } from './public-options.ts';

interface Transport {
  readonly localPort: number;
  unref(): void;
  setTimeout(ms: number, idle: () => void): void;
  destroy(): void;
}

type Hear = (news: {
  readonly socket?: Transport;
  readonly websocket?: unknown;
  readonly address?: { readonly port: number };
}) => void;

export type Diagnostics = Readonly<Record<'subscribe' | 'unsubscribe', (channel: string, hear: Hear) => void>>;

const CUT_AFTER_MS = 1_000;

/**
 * Returns what keeps the process from staying alive for `socket`, which was made in this turn, and cuts it after a second
 * in which nothing passed: until then the close and what was sent before it may be on their way. Node's WebSocket cannot be
 * cut: its close waits for the peer's, and where the network is silent it waits as long as the system holds the
 * connection. Node's diagnostics alone tell which transport lies under it: that of its port. Elsewhere they say nothing.
 */
export function untieOf(socket: WebSocketLike): () => void {
  const { WebSocket } = globalThis;
  // Of another class's nothing would be heard, and it would be listened for without end.
  const diagnostics =
    WebSocket && socket instanceof WebSocket && processHere()?.getBuiltinModule?.('diagnostics_channel');
  const transports = new Map<number | undefined, Transport>();
  let own: Transport | undefined;
  const hear: Hear = ({ socket: transport, websocket, address }) => {
    if (transport !== undefined) transports.set(transport.localPort, transport);
    if (websocket !== socket) return;
    own = transports.get(address?.port);
    listen('unsubscribe');
  };
  const listen = (how: keyof Diagnostics): void => {
    transports.clear();
    for (const what of ['client:connected', 'websocket:open'])
      if (diagnostics) diagnostics[how](`undici:${what}`, hear);
  };
  listen('subscribe');
  return () => {
    listen('unsubscribe');
    own?.unref();
    own?.setTimeout(CUT_AFTER_MS, () => own?.destroy());
  };
}
