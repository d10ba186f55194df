import type { Reign } from './machine.ts';

/** What candidates for one name tell each other over their channel. It moves no lock: what it says of one is looked up. */
export type Message =
  /** A newcomer asks who leads. */
  | { readonly kind: 'who' }
  | { readonly kind: 'leads'; readonly reign: Reign }
  | { readonly kind: 'over'; readonly id: string }
  /** One that stood in the queue has left it. */
  | { readonly kind: 'moved' };

/** Any page of this origin may write to the channel: what is none of the messages is none. */
export function messageOf(data: unknown): Message | null {
  const { kind, id, reign } = Object(data) as Readonly<Record<string, unknown>>; // Each is looked at below.
  if (kind === 'who' || kind === 'moved') return { kind };
  if (kind === 'over') return typeof id === 'string' ? { kind, id } : null;
  const known = kind === 'leads' ? reignOf(reign) : null;
  return known === null ? null : { kind: 'leads', reign: known };
}

function reignOf(data: unknown): Reign | null {
  const { id, client, shown } = Object(data) as Readonly<Record<string, unknown>>; // Each is looked at below.
  const { label, since } = Object(shown) as Readonly<Record<string, unknown>>; // Each is looked at below.
  const isReign =
    typeof id === 'string' && typeof client === 'string' && typeof label === 'string' && typeof since === 'string';
  return isReign ? { id, client, shown: Object.freeze({ label, since }) } : null;
}
