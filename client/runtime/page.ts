import { isPage } from './platform.ts';

/**
 * Follows the life of the page, in its main thread; elsewhere there is nothing to follow. `away` is called before the page
 * stops, whether it may come back or not, and `back` when it goes on: each perhaps twice, since a page that goes into the
 * back/forward cache is hidden, then frozen. Neither `unload` nor `beforeunload`: they keep a page out of that cache.
 * Returns what stops following.
 */
export function followPage(away: (event: Event) => void, back: (event: Event) => void): () => void {
  if (!isPage()) return () => undefined;
  const following = new AbortController();
  const { signal } = following;
  globalThis.addEventListener('pagehide', away, { signal });
  globalThis.addEventListener('pageshow', back, { signal });
  document.addEventListener('freeze', away, { signal });
  document.addEventListener('resume', back, { signal });
  return () => following.abort();
}
