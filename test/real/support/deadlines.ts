import { addMs, type Entry, type Messages } from './log.ts';

/**
 * The local deadline of each token, by client, from what its sockets carried: the instant at which the frame that an
 * answer names was sent, plus the `leftMs` of that answer. The latest one counts: a deadline never moves earlier.
 */
export function deadlinesOf(entries: readonly Entry[]): Map<string, Map<number, bigint>> {
  const deadlines = new Map<string, Map<number, bigint>>();
  const sentAt = new Map<string, bigint>();
  for (const entry of entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))) {
    if (entry.event === 'sent') {
      const frame = entry.messages[0]?.['frame'];
      if (typeof frame === 'number') sentAt.set(`${entry.client} ${frame}`, entry.at);
    }
    if (entry.event !== 'received') continue;
    for (const { frame, token, leftMs } of windowsIn(entry.messages)) {
      const anchor = sentAt.get(`${entry.client} ${frame}`);
      if (anchor === undefined) continue;
      const ofClient = deadlines.get(entry.client) ?? new Map<number, bigint>();
      deadlines.set(entry.client, ofClient);
      const deadline = addMs(anchor, leftMs);
      if (deadline > (ofClient.get(token) ?? 0n)) ofClient.set(token, deadline);
    }
  }
  return deadlines;
}

export interface WindowTold {
  readonly frame: number;
  readonly token: number;
  readonly leftMs: number;
}

/** Every window that a frame of the coordinator tells of: `granted`, `renewed`, `welcome`. */
export function windowsIn(messages: Messages): readonly WindowTold[] {
  const told: WindowTold[] = [];
  for (const message of messages) {
    const { type, frame } = message;
    if (typeof frame !== 'number') continue;
    const leases =
      type === 'granted'
        ? [message]
        : type === 'renewed'
          ? message['leases']
          : type === 'welcome'
            ? message['held']
            : [];
    if (!Array.isArray(leases)) continue;
    for (const lease of leases as Messages) {
      const { fencingToken: token, leftMs } = lease;
      if (typeof token === 'number' && typeof leftMs === 'number') told.push({ frame, token, leftMs });
    }
  }
  return told;
}
