/** What happens to the tabs of this page, as each of them writes it down for all. (No interfaces: it goes over a channel.) */

/** How a tab can stop for a while. `still`: nothing ran in it, and no event had said so before. */
export const PAUSES = ['frozen', 'put-away', 'still', 'cut'] as const;
export type PauseKind = (typeof PAUSES)[number];

export type What =
  | { readonly kind: 'opened' | 'closed' }
  | { readonly kind: 'led'; readonly token: number }
  /** `why` is a code of the library's; `knownAtMs` is when the tab found out. */
  | { readonly kind: 'ended'; readonly token: number; readonly why: string; readonly knownAtMs: number }
  | { readonly kind: 'stopped' | 'went-on'; readonly how: PauseKind }
  /** What this tab was told of who leads, which may be a tab of another browser; null: nobody. */
  | { readonly kind: 'heard'; readonly token: number | null; readonly by: string; readonly sinceMs: number };

export type Happening = What & {
  /** The tab that writes. */
  readonly tab: string;
  readonly label: string;
  /** Its happenings are numbered, so that whoever hears of one twice knows it. */
  readonly number: number;
  /** By the machine's clock, which all tabs share. */
  readonly atMs: number;
};

/** Any page of this origin could have sent anything, so it is looked at. */
export function happeningOf(value: unknown): Happening | null {
  const tab = textIn(value, 'tab');
  const label = textIn(value, 'label');
  const number = numberIn(value, 'number');
  const atMs = numberIn(value, 'atMs');
  const what = whatOf(value);
  if (tab === null || label === null || number === null || atMs === null || what === null) return null;
  return { ...what, tab, label, number, atMs };
}

function whatOf(value: unknown): What | null {
  const kind = textIn(value, 'kind');
  const token = numberIn(value, 'token');
  switch (kind) {
    case 'opened':
    case 'closed':
      return { kind };
    case 'led':
      return token === null ? null : { kind, token };
    case 'ended': {
      const why = textIn(value, 'why');
      const knownAtMs = numberIn(value, 'knownAtMs');
      return token === null || why === null || knownAtMs === null ? null : { kind, token, why, knownAtMs };
    }
    case 'stopped':
    case 'went-on': {
      const how = PAUSES.find((one) => one === textIn(value, 'how'));
      return how === undefined ? null : { kind, how };
    }
    case 'heard': {
      const by = textIn(value, 'by');
      const sinceMs = numberIn(value, 'sinceMs');
      return by === null || sinceMs === null ? null : { kind, token, by, sinceMs };
    }
    default:
      return null;
  }
}

export const fieldIn = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

export function textIn(value: unknown, key: string): string | null {
  const found = fieldIn(value, key);
  return typeof found === 'string' && found.length <= 200 ? found : null;
}

export function numberIn(value: unknown, key: string): number | null {
  const found = fieldIn(value, key);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}
