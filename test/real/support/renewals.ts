import { entriesOf, msBetween, type Entry } from './log.ts';

/** From sending each renewal until its answer, of the clients whose sockets were recorded. */
export function renewalTimes(entries: readonly Entry[]): readonly number[] {
  const times: number[] = [];
  const sentAt = new Map<string, bigint>();
  for (const { client, at, messages } of entriesOf(entries, 'sent')) {
    for (const { type, request } of messages) if (type === 'renew') sentAt.set(`${client} ${textOf(request)}`, at);
  }
  for (const { client, at, messages } of entriesOf(entries, 'received')) {
    for (const { type, request } of messages) {
      const sent = sentAt.get(`${client} ${textOf(request)}`);
      if (type === 'renewed' && sent !== undefined) times.push(msBetween(sent, at));
    }
  }
  return times;
}

const textOf = (request: unknown): string => (typeof request === 'string' ? request : '');
