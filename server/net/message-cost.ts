import { fieldOf } from './read-frame.ts';

/** Looking through names costs this many times what another message does. */
const LISTING_COST = 25;
/** A `watch` is answered again and again. */
const WATCH_COST = 5;
/** Opening a channel: what may follow is a session, and a credential to look at. */
export const CHANNEL_COST = 25;
/** More of them in one frame are refused: each is up to a frame of its own going out. */
export const LISTINGS_PER_FRAME_MAX = 16;

/** A `list` that is not of one name. */
export const isListing = (message: unknown): boolean =>
  fieldOf(message, 'type') === 'list' && fieldOf(message, 'name') === undefined;

/** What the messages of a frame count against its session's rate. */
export function costOf(messages: readonly unknown[]): number {
  let cost = 0;
  for (const message of messages) cost += costOfOne(message);
  return cost;
}

function costOfOne(message: unknown): number {
  if (isListing(message)) return LISTING_COST;
  return fieldOf(message, 'type') === 'watch' ? WATCH_COST : 1;
}
