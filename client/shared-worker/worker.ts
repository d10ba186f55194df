/**
 * The program of the SharedWorker: one WebSocket for each coordinator, shared by the tabs that dial through it. It reads
 * no message; sessions, leases and clocks are the tabs' own.
 */
import { Lines } from './lines.ts';
import { serveTab, type TabPorts } from './tab.ts';

const { locks } = navigator;
const forbid = new Set<() => void>();

/** Free when this worker has ended, however it did. */
const ownLock = new Promise<string>((held) => {
  const name = `leasehold-worker-${crypto.randomUUID()}`;
  void locks.request(name, () => {
    held(name);
    return new Promise(() => undefined);
  });
});

const ports: Omit<TabPorts, 'over'> = {
  lines: new Lines((url, protocols) => new WebSocket(url, protocols)),
  ownLock,
  // Told at once where the name is free already. A worker that ends hears no more of it.
  whenFree: (lock, free) => void locks.request(lock, free).catch(() => undefined),
};

addEventListener('connect', (event) => {
  // What a SharedWorker is told of; the types here are a page's.
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  const tellForbidden = serveTab(port, { ...ports, over: () => forbid.delete(tellForbidden) });
  forbid.add(tellForbidden);
});

addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
  if (effectiveDirective === 'connect-src') for (const tell of forbid) tell();
});
