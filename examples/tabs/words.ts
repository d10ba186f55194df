import type { LossCode } from 'leasehold';

/** `42 s`, `3 min 05 s`, `2 h 07 min`. */
export function spanOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** `0.4 s`. */
export const secondsOf = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** `14:03:27.4`. */
export function clockOf(atMs: number): string {
  const at = new Date(atMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const tenths = Math.floor(at.getMilliseconds() / 100);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${tenths}`;
}

/** A token's digits in threes, the part that differs from grant to grant for itself. */
export function tokenParts(token: number): { readonly head: string; readonly tail: string } {
  const groups = new Intl.NumberFormat('en').format(token).split(',');
  const tail = groups.pop() ?? '';
  return { head: groups.map((group) => `${group}\u2009`).join(''), tail };
}

export const shortToken = (token: number): string => `…${tokenParts(token).tail}`;

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinal = (place: number): string => `${place}${ENDINGS[ORDINALS.select(place)] ?? 'th'}`;

export function placeOf(position: number | null): string {
  if (position === null) return 'this tab is not in it';
  if (position === 0) return 'this tab is next';
  return `this tab is ${ordinal(position + 1)}`;
}

/** The same, where the tab is named beside it. */
export const inLine = (position: number): string =>
  position === 0 ? 'next in line' : `${ordinal(position + 1)} in line`;

const REASONS: { readonly [code in LossCode | 'released']?: string } = {
  'missed-ack': 'no renewal was answered in time',
  expired: 'its deadline passed',
  superseded: 'another was granted it since',
  revoked: 'an operator ended it',
  closed: 'the page was put away or frozen',
};

/** Any text, since it may come from another tab. */
export const reasonOf = (code: string): string => new Map(Object.entries(REASONS)).get(code) ?? code;
