import type { Entry } from '../../real/support/log.ts';
import type { Json } from '../../../shared/json.ts';
import { listen, type Heard, type Message } from './wire.ts';

/** A write of a state that was acknowledged. */
export interface Written {
  readonly name: string;
  readonly client: string;
  readonly at: bigint;
  readonly token: number;
  readonly version: number;
  /** JSON text; null where the state was removed. */
  readonly value: string | null;
}

/** Somebody saw the state of a name. */
export interface Seen {
  readonly name: string;
  readonly client: string;
  readonly at: bigint;
  /** It is not older than this; null where that is not known. */
  readonly askedAt: bigint | null;
  /** Null: the name had no state. */
  readonly version: number | null;
  readonly value: string | null;
  /** With a grant: its token. */
  readonly granted: number | null;
  /** What is seen under one key comes in order. */
  readonly watch: string | null;
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

export interface Witnesses {
  readonly written: readonly Written[];
  readonly seen: readonly Seen[];
}

/** All that clients were told of states: on their sockets, by their watches and by their readings. */
export function witnessesIn(entries: readonly Entry[]): Witnesses {
  const written: Written[] = [];
  const seen: Seen[] = [];
  const called = new Map<string, bigint>();
  listen(entries, {
    heard: (heard) => {
      if (heard.message['type'] === 'stateSet') written.push(...writtenIn(heard));
      if (heard.message['type'] === 'granted') seen.push(grantIn(heard));
      if (heard.message['type'] === 'view') seen.push(...viewsIn(heard));
    },
    other: (entry) => {
      const { at, client } = entry;
      if (entry.event === 'called') called.set(entry.call, at);
      if (entry.event === 'viewed') {
        const { name, version, key } = entry;
        const value = version === null ? null : JSON.stringify(entry.value);
        seen.push({ name, client, at, askedAt: null, version, value, granted: null, watch: `${client} ${key}` });
      }
      if (entry.event !== 'settled' || !entry.ok || entry.what !== 'inspect') return;
      const { name, state } = entry.value as Message; // A LeaseView as JSON.
      const askedAt = called.get(entry.call) ?? null;
      seen.push({ name: textOf(name), client, at, askedAt, ...stateIn(state), granted: null, watch: null });
    },
  });
  return { written, seen };
}

function writtenIn({ at, client, message, asked }: Heard): readonly Written[] {
  const { version } = message;
  const { type, name, fencingToken: token, value } = asked?.message ?? {};
  if (type !== 'setState' || typeof name !== 'string' || typeof token !== 'number' || typeof version !== 'number')
    return [];
  return [{ name, client, at, token, version, value: value === undefined ? null : JSON.stringify(value) }];
}

function grantIn({ at, client, message }: Heard): Seen {
  const { name, fencingToken, state } = message;
  return {
    name: textOf(name),
    client,
    at,
    askedAt: null,
    ...stateIn(state),
    granted: Number(fencingToken),
    watch: null,
  };
}

function viewsIn({ at, client, message, askedHereAt }: Heard): readonly Seen[] {
  const { views } = message;
  if (!Array.isArray(views)) return [];
  return (views as readonly Message[]).map(({ name, state }) => ({
    name: textOf(name),
    client,
    at,
    askedAt: askedHereAt,
    ...stateIn(state),
    granted: null,
    watch: null,
  })); // Only looked at: the client checks what it reads.
}

/** Of a state as it stands in frames and views. */
function stateIn(state: Json | undefined): Pick<Seen, 'version' | 'value'> {
  const { version, value } = (state ?? {}) as Message; // As above.
  return typeof version === 'number' ? { version, value: JSON.stringify(value) } : { version: null, value: null };
}
