import type { Context, Hono } from 'hono';
import { routePath } from 'hono/route';
import type { LeaseState, WireLeaseView } from '../../shared/frames.ts';
import { leaseName, type FencingToken, type LeaseName } from '../../shared/ids.ts';
import { nameProblem } from '../../shared/names.ts';
import type { OptionProblem } from '../../shared/options.ts';
import { AUTH_WITHIN_MS, type Authenticate } from './auth-port.ts';
import { decoded, limitProblem, readQuery, textProblem } from './http-query.ts';
import { methodRefused, refusal } from './http-refusal.ts';
import type { Loop } from './loop.ts';

/** What is known of the leases at the last reading of the clock. */
export interface Reading {
  show(name: LeaseName): WireLeaseView;
  /** `limit` null: as many as is usual. */
  list(
    prefix: string,
    after: string,
    limit: number | null,
  ): { readonly views: readonly WireLeaseView[]; readonly next: string | null };
}

export interface LeasesFacts {
  readonly auth: Authenticate | null;
  readonly loop: Loop;
  /** Null while there is nothing to read: the journal has not been read, or could not be. */
  reading(): Reading | null;
}

/** A view as the client shows it, too: with null for what is not there. */
type LeaseView = Omit<WireLeaseView, 'state' | 'lastFencingToken'> & {
  readonly state: LeaseState | null;
  readonly lastFencingToken: FencingToken | null;
};

const LEASES = '/v1/leases';

/** `GET /v1/leases` and `GET /v1/leases/{name}`. */
export function routeLeases(app: Hono, facts: LeasesFacts): void {
  app.get(LEASES, (context) => answer(context, facts, (reading) => listed(context, reading)));
  app.get(`${LEASES}/*`, (context) => answer(context, facts, (reading) => shown(context, reading)));
  for (const path of [LEASES, `${LEASES}/*`]) app.all(path, (context) => methodRefused(context));
}

async function answer(context: Context, facts: LeasesFacts, read: (reading: Reading) => Response): Promise<Response> {
  const refused = facts.auth === null ? null : await unauthorized(context, facts.auth, facts.loop);
  if (refused !== null) return refused;
  const reading = facts.reading();
  return reading === null ? refusal(context, 'unavailable', 'The journal is not read. Try again.') : read(reading);
}

/** The same credential as in `hello`, as a bearer token (RFC 6750). */
async function unauthorized(context: Context, auth: Authenticate, loop: Loop): Promise<Response | null> {
  const credential = /^bearer +(\S+) *$/i.exec(context.req.header('authorization') ?? '')?.[1];
  switch (await checked(auth, credential, loop)) {
    case 'good':
      return null;
    case 'bad': {
      context.header('www-authenticate', 'Bearer');
      const text = 'The credential is missing, wrong or over. Give a fresh one as "Authorization: Bearer CREDENTIAL".';
      return refusal(context, 'unauthorized', text);
    }
    case 'unknown':
      return refusal(context, 'unavailable', 'The credential could not be checked now. Try again.');
  }
}

async function checked(
  auth: Authenticate,
  credential: string | undefined,
  loop: Loop,
): Promise<'good' | 'bad' | 'unknown'> {
  let cancel = (): void => undefined;
  const timeIsOver = new Promise<'unknown'>((resolve) => {
    cancel = loop.after(AUTH_WITHIN_MS, () => resolve('unknown'));
  });
  // Why it could not be looked at is for the log of whoever looks; the caller may try again.
  const found = auth(credential).then(
    ({ ok }) => (ok ? 'good' : 'bad'),
    () => 'unknown' as const,
  );
  return Promise.race([found, timeIsOver]).finally(cancel);
}

function listed(context: Context, reading: Reading): Response {
  const read = readQuery(new URL(context.req.url).search, ['prefix', 'after', 'limit']);
  if (!read.ok) return badRequest(context, read.problem);
  const { prefix = '', after = '', limit } = read.query;
  const problem =
    textProblem('prefix', prefix) ?? textProblem('after', after) ?? (limit === undefined ? null : limitProblem(limit));
  if (problem !== null) return badRequest(context, problem);
  const { views, next } = reading.list(prefix, after, limit === undefined ? null : Number(limit));
  return context.json({ leases: views.map(leaseView), next });
}

function shown(context: Context, reading: Reading): Response {
  const url = new URL(context.req.url);
  // Not by the router, which takes broken encoding as it is. Where this app is mounted, the route begins with that.
  const segments = url.pathname.split('/').slice(routePath(context).split('/').length - 1);
  const [segment = '', ...others] = segments;
  if (others.length > 0) {
    const cure = segments.join('%2F');
    return refusal(
      context,
      'not-found',
      `There is nothing at ${url.pathname}: a name is one segment of the path, and "/" in a name is written %2F, as in ${LEASES}/${cure}.`,
    );
  }
  const name = decoded(segment);
  const problem = name === null ? 'it is not UTF-8 in percent-encoding' : nameProblem(name);
  if (name === null || problem !== null)
    return badRequest(context, { param: 'name', problem: `the name in ${url.pathname} is none: ${problem ?? ''}` });
  const read = readQuery(url.search, []);
  return read.ok ? context.json(leaseView(reading.show(leaseName(name)))) : badRequest(context, read.problem);
}

const badRequest = (context: Context, { param, problem }: OptionProblem): Response =>
  refusal(context, 'bad-request', `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`, { param });

const leaseView = ({ name, holders, queue, state, lastFencingToken }: WireLeaseView): LeaseView => ({
  name,
  holders,
  queue,
  state: state ?? null,
  lastFencingToken: lastFencingToken ?? null,
});
