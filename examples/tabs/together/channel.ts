import { fieldIn, happeningOf, type Happening } from './happenings.ts';
import { presenceOf, type Presence } from './presence.ts';

/** What the tabs of one browser tell one another. It decides nothing: who leads is the coordinator's affair. */
export type Message =
  /** Somebody new asks what has happened so far. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'happened'; readonly happenings: readonly Happening[] }
  | { readonly kind: 'here'; readonly presence: Presence }
  /** The switch "the tab in sight leads", which is one for all tabs. */
  | { readonly kind: 'prefer'; readonly isVisible: boolean };

const NAME = 'leasehold.examples.tabs';

export interface Channel {
  say(message: Message): void;
  /** A page with an open channel is kept by no browser for its way back; what is said to a closed one is lost. */
  close(): void;
  reopen(): void;
}

/** Calls `hear` for each message of another tab. */
export function channel(hear: (message: Message) => void): Channel {
  let open: BroadcastChannel | null = null;
  const reopen = (): void => {
    open ??= new BroadcastChannel(NAME);
    open.onmessage = ({ data }) => {
      const message = messageOf(data);
      if (message !== null) hear(message);
    };
  };
  const close = (): void => {
    open?.close();
    open = null;
  };
  reopen();
  return { say: (message) => open?.postMessage(message), close, reopen };
}

function messageOf(data: unknown): Message | null {
  const kind = fieldIn(data, 'kind');
  switch (kind) {
    case 'hello':
      return { kind };
    case 'happened': {
      const list = fieldIn(data, 'happenings');
      if (!Array.isArray(list)) return null;
      return { kind, happenings: list.flatMap((one: unknown) => happeningOf(one) ?? []) };
    }
    case 'here': {
      const presence = presenceOf(fieldIn(data, 'presence'));
      return presence === null ? null : { kind, presence };
    }
    case 'prefer':
      return { kind, isVisible: fieldIn(data, 'isVisible') === true };
    default:
      return null;
  }
}
