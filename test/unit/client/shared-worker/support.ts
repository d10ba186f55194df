import type { ChannelEvents, LineSocket } from '../../../../client/shared-worker/line.ts';

/** A WebSocket without a network: tests say what happens to it, and read what was sent. */
export class FakeLineSocket implements LineSocket {
  static made: FakeLineSocket[] = [];
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  readonly sent: string[] = [];
  readonly url: string;
  readonly offered: readonly string[];
  protocol = 'leasehold.v1.channels';
  closed = false;

  constructor(url: string, offered: readonly string[]) {
    this.url = url;
    this.offered = offered;
    FakeLineSocket.made.push(this);
  }
  send(data: string): void {
    this.sent.push(data);
  }
  close(): void {
    this.closed = true;
  }
  // The handlers take the platform's event objects, of which these are the part that is read.
  opens(): void {
    this.onopen?.({} as never);
  }
  says(envelope: unknown): void {
    this.onmessage?.({ data: typeof envelope === 'string' ? envelope : JSON.stringify(envelope) } as never);
  }
  closes(code: number, reason = ''): void {
    this.onclose?.({ code, reason } as never);
  }
}

/** What one channel was told, in order. */
export interface Heard {
  readonly events: ChannelEvents;
  readonly told: string[];
}

export function hearing(): Heard {
  const told: string[] = [];
  return {
    told,
    events: {
      opened: () => void told.push('opened'),
      heard: (frame) => void told.push(frame),
      closed: (code, reason) => void told.push(`closed ${code} ${reason}`),
      unspoken: () => void told.push('unspoken'),
    },
  };
}
