import { Hono, type Context } from 'hono';
import { PROTOCOL } from '../../shared/limits.ts';
import { mountPages, pathsToOpen, type PageFiles } from './example-pages.ts';
import { isSocketPath } from './handshake.ts';
import { routeLeases, type LeasesFacts } from './http-leases.ts';
import { methodRefused, refusal } from './http-refusal.ts';
import { originRefusal, type OriginRules } from './origins.ts';
import { page, PAGE_POLICY } from './page.ts';

export interface HttpFacts extends LeasesFacts {
  readonly version: string;
  readonly rules: OriginRules;
  readonly base: string;
  readonly pages: PageFiles;
  /** Empty when ready. */
  reasons(): readonly string[];
  /** What `/readyz` shows beside the reasons. */
  details(): Readonly<Record<string, unknown>>;
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** The HTTP side, to be mounted wherever a Hono app can be: probes, what there is to read, a page that says what this is. */
export function makeHttpApp(facts: HttpFacts): Hono {
  const app = new Hono();
  app.use('*', async (context, next) => {
    for (const [key, value] of Object.entries(HEADERS)) context.header(key, value);
    // Hono types the path's parameters with `any`.
    const refused = guarded(context as Context, facts.rules);
    if (refused !== null) return refused;
    return next();
  });
  app.get('/healthz', (context) => context.json({ status: 'ok', version: facts.version }));
  app.get('/readyz', (context) => {
    const reasons = facts.reasons();
    const body = { status: reasons.length === 0 ? 'ready' : 'not-ready', reasons, ...facts.details() };
    return context.json(body, reasons.length === 0 ? 200 : 503);
  });
  app.get('/favicon.ico', (context) => context.body(null, 204));
  app.get('/', (context) => {
    context.header('content-security-policy', PAGE_POLICY);
    const reasons = facts.reasons();
    return context.html(
      page({
        version: facts.version,
        socketUrl: socketUrl(context, facts.base),
        ready: reasons.length === 0,
        reasons,
        examples: pathsToOpen(facts.pages),
      }),
    );
  });
  for (const path of ['/healthz', '/readyz', '/favicon.ico', '/']) {
    app.all(path, (context) => methodRefused(context));
  }
  routeLeases(app, facts);
  mountPages(app, facts.pages);
  // A route and not `notFound`: that would not come along when the app is mounted in another one.
  app.all('*', (context) => {
    if (isSocketPath(context.req.path, facts.base)) return upgradeWanted(context);
    return refusal(context, 'not-found', `There is nothing at ${context.req.method} ${context.req.path}.`);
  });
  app.onError((_, context) => refusal(context, 'internal', 'The request could not be answered.'));
  return app;
}

/** The same rules as for sockets. Probes come with whatever Host a load balancer writes, and tell nothing. */
function guarded(context: Context, rules: OriginRules): Response | null {
  const url = new URL(context.req.url);
  const origin = context.req.header('origin');
  const isProbe = origin === undefined && /\/(?:healthz|readyz)$/.test(url.pathname);
  const found = isProbe
    ? null
    : originRefusal(rules, { origin, host: context.req.header('host') ?? url.host, scheme: schemeOf(url) });
  if (found !== null) return refusal(context, found.code, found.text);
  if (origin === undefined) return null;
  context.header('vary', 'Origin');
  context.header('access-control-allow-origin', origin);
  context.header('cross-origin-resource-policy', 'cross-origin');
  if (context.req.method !== 'OPTIONS') return null;
  context.header('access-control-allow-methods', 'GET');
  context.header('access-control-allow-headers', 'authorization');
  context.header('access-control-max-age', '600');
  return context.body(null, 204);
}

/** An upgrade never comes this way: the server has it before. */
function upgradeWanted(context: Context): Response {
  context.header('upgrade', 'websocket');
  context.header('connection', 'upgrade');
  const text = `This address is for WebSockets with the subprotocol ${PROTOCOL}; the request does not ask for an upgrade to one.`;
  return refusal(context, 'bad-request', text, { status: 426 });
}

const schemeOf = (url: URL): 'http' | 'https' => (url.protocol === 'https:' ? 'https' : 'http');

function socketUrl(context: Context, base: string): string {
  const url = new URL(context.req.url);
  return `${url.protocol === 'https:' ? 'wss' : 'ws'}://${context.req.header('host') ?? url.host}${base}`;
}
