import type { Context, Hono } from 'hono';
import { inWords, type OptionProblem } from '../../shared/options.ts';
import { errorBody } from './error-body.ts';

/** One file of a page. */
export interface PageFile {
  /** As `content-type` has it: `text/html; charset=utf-8`. */
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * Files by their path behind the coordinator's own, without a slash at the start: `examples/tabs/tabs.css`. The page of a
 * folder is the folder's path with its slash: `examples/tabs/`. Nothing else is ever served, so no path leads elsewhere.
 */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** Each part of a path begins with a letter or digit: it can be no pattern of the router's, and no way upwards. */
const PATH = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*\/)+(?:[A-Za-z0-9][A-Za-z0-9._-]*)?$/;
/** What the coordinator answers itself. */
const TAKEN = /^v\d+\//;

export function pagesProblem(pages: unknown): OptionProblem | null {
  const param = 'pages';
  if (!(pages instanceof Map)) return { param, problem: `pages is ${inWords(pages)}; it must be a Map` };
  for (const path of pages.keys()) {
    if (typeof path === 'string' && PATH.test(path) && !TAKEN.test(path)) continue;
    const allowed = 'it is a path such as "examples/tabs/" or "examples/tabs/tabs.css"';
    return { param, problem: `the path of a page is ${inWords(path)}; ${allowed}` };
  }
  return null;
}

/** Paths of what a person can open: the page of each folder. */
export const pathsToOpen = (pages: PageFiles): readonly string[] =>
  [...pages.keys()].filter((path) => path.endsWith('/'));

/** Adds the files to the app, for GET and HEAD. */
export function mountPages(app: Hono, pages: PageFiles): void {
  for (const [path, file] of pages) {
    app.get(`/${path}`, (context) => {
      // Hono types the path's parameters with `any`.
      context.header('content-security-policy', policyFor(context as Context));
      context.header('content-type', file.type);
      // Not `no-store`: a browser would not keep such a page for its way back, and a lease's life over that is shown here.
      context.header('cache-control', 'no-cache');
      return context.body(file.body);
    });
    app.all(`/${path}`, (context) => {
      context.header('allow', 'GET, HEAD');
      const text = `The method is ${context.req.method}; allowed are GET and HEAD.`;
      return context.json(errorBody('bad-request', text), 405);
    });
    const folder = /([^/]+)\/$/.exec(path);
    if (folder !== null) {
      // Relative, so that it holds wherever the app is mounted.
      app.get(`/${path.slice(0, -1)}`, (context) => context.redirect(`${folder[1]}/`, 308));
    }
  }
}

/** Nothing inline, nothing from elsewhere; sockets to where the page came from. */
function policyFor(context: Context): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The tab's icon is drawn by the page.
    "img-src 'self' data:",
    ["connect-src 'self'", ...socketOrigins(context)].join(' '),
    // A page may hold copies of itself side by side; nobody else frames it.
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/** To some browsers 'self' is no WebSocket. The Host was checked before it is repeated here. */
function socketOrigins(context: Context): readonly string[] {
  const url = new URL(context.req.url);
  const host = context.req.header('host') ?? url.host;
  // The grammar of a policy knows no IPv6 literal: a browser would complain of it, and leave it out.
  if (host.startsWith('[')) return [];
  return [`${url.protocol === 'https:' ? 'wss' : 'ws'}://${host}`];
}
