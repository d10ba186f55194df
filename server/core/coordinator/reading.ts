import type { WireLeaseView } from '../../../shared/frames.ts';
import type { LeaseName } from '../../../shared/ids.ts';
import { FRAME_BYTES_MAX } from '../../../shared/limits.ts';
import type { ListeningMs } from '../../../shared/time.ts';
import type { NameView } from '../table-types.ts';
import type { Core } from './core-state.ts';
import { describeIn } from './speech.ts';
import { emptyView, pageOf, wireView } from './views.ts';

type Read = Pick<Core, 'table' | 'book'>;

/** What anybody may see of a name, whether somebody holds it or not. */
export const show = (core: Read, now: ListeningMs, name: LeaseName): WireLeaseView =>
  shown(core, name, core.table.view(now, name));

export const shown = (core: Read, name: LeaseName, view: NameView | null): WireLeaseView =>
  view === null ? emptyView(name) : wireView(view, describeIn(core));

export interface PageAsked {
  readonly prefix?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** How many names a page has where nothing is said. */
export const VIEWS_DEFAULT = 100;

/** A page of names, cut by bytes as well as by count. */
export function list(
  core: Read,
  now: ListeningMs,
  { prefix = '', after = '', limit = VIEWS_DEFAULT }: PageAsked,
): { readonly views: readonly WireLeaseView[]; readonly next: string | null } {
  const { views, next } = core.table.list(now, prefix, after, limit);
  return pageOf(asShown(core, views), next, FRAME_BYTES_MAX);
}

/** One by one, since most of a page of large states is cut off, and is never parsed so. */
function* asShown(core: Read, views: readonly NameView[]): Generator<WireLeaseView, void, undefined> {
  const describe = describeIn(core);
  for (const view of views) yield wireView(view, describe);
}
