import type { WireLeaseView } from '../../../shared/frames.ts';
import type { RawClient } from './raw-client.ts';

const PAGE = 100;

/** Every name that begins with `prefix`, as the coordinator shows it. */
export async function viewsOf(raw: RawClient, prefix: string): Promise<ReadonlyMap<string, WireLeaseView>> {
  const found = new Map<string, WireLeaseView>();
  let after = '';
  for (let page = 1; ; page += 1) {
    raw.send({ type: 'list', request: `page-${page}`, prefix, after, limit: PAGE });
    const { views, next } = await raw.take('view');
    for (const view of views as readonly WireLeaseView[]) found.set(view.name, view); // Our own coordinator's answer.
    if (typeof next !== 'string') return found;
    after = next;
  }
}
