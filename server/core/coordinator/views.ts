import type { LeaseState, WireLeaseView } from '../../../shared/frames.ts';
import type { LeaseName, SessionId } from '../../../shared/ids.ts';
import type { Json } from '../../../shared/json.ts';
import { durationMs } from '../../../shared/time.ts';
import type { StoredState } from '../journal-port.ts';
import type { NameView } from '../table-types.ts';
import { jsonBytes } from './welcome.ts';

/** Who a session says it is. */
export type Describe = (session: SessionId) => { readonly label: string; readonly metadata: Json };

/** What anybody may see of a name. */
export function wireView(view: NameView, describe: Describe): WireLeaseView {
  const state = wireState(view.state);
  return {
    name: view.name,
    holders: view.holders.map((holder) => ({
      ...describe(holder.session),
      session: holder.session,
      fencingToken: holder.fencingToken,
      mode: 'exclusive' as const,
      heldForMs: whole(holder.heldForMs),
      remainingMs: whole(holder.remainingMs),
      ceilingLeftMs: whole(holder.ceilingLeftMs),
    })),
    queue: view.queue,
    ...(state === undefined ? {} : { state }),
    ...(view.lastFencingToken === null ? {} : { lastFencingToken: view.lastFencingToken }),
  };
}

/** A name that nobody ever held looks like one that is free. */
export const emptyView = (name: LeaseName): WireLeaseView => ({ name, holders: [], queue: 0 });

export function wireState(state: StoredState | null): LeaseState | undefined {
  if (state === null || state.valueJson === null) return undefined;
  // It was made by JSON.stringify from a value of a checked message.
  const value = JSON.parse(state.valueJson) as Json;
  return { value, version: state.version, fencingToken: state.fencingToken };
}

/**
 * As many of the views as go in one answer: states may be large, so a page of names is cut by bytes too. At least one,
 * so that a reader who goes on from `next` comes to the end.
 */
export function pageOf(
  views: Iterable<WireLeaseView>,
  next: string | null,
  bytesMax: number,
): { readonly views: readonly WireLeaseView[]; readonly next: string | null } {
  const page: WireLeaseView[] = [];
  let bytes = 0;
  for (const view of views) {
    bytes += jsonBytes(view) + 1;
    const last = page.at(-1);
    if (last !== undefined && bytes > bytesMax) return { views: page, next: last.name };
    page.push(view);
  }
  return { views: page, next };
}

const whole = (ms: number) => durationMs(Math.max(0, Math.floor(ms)));
