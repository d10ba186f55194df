import { isIP } from 'node:net';

/** From where a browser may come, and under which names this coordinator is reached. */
export interface OriginRules {
  /** Exactly `scheme://host[:port]`, as a browser writes it. None is listed by default, and an empty list means none. */
  readonly origins: readonly string[];
  /** Host names, without port, beside loopback names and addresses. */
  readonly hosts: readonly string[];
  /** `dev`: pages of any loopback origin, at any port. */
  readonly anyLoopbackOrigin: boolean;
}

/** What came with a request or an upgrade, and over which kind of connection. */
export interface Arrival {
  readonly origin: string | undefined;
  readonly host: string | undefined;
  readonly scheme: 'http' | 'https';
}

export type OriginRefusal = {
  readonly code: 'origin-not-allowed' | 'host-not-allowed';
  readonly text: string;
};

const HOST = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/;

/**
 * Why this arrival is refused, or null. A browser always sends the Origin of its page; what sends none is not a
 * browser. The Host is checked too, since a foreign name that was made to resolve to this address (DNS rebinding)
 * would be of the same origin as the page that it served.
 */
export function originRefusal(rules: OriginRules, arrival: Arrival): OriginRefusal | null {
  return (
    hostRefusal(rules, arrival.host) ??
    (arrival.origin === undefined ? null : pageRefusal(rules, arrival, arrival.origin))
  );
}

function hostRefusal(rules: OriginRules, header: string | undefined): OriginRefusal | null {
  const name = hostName(header);
  if (name !== null && (isLoopbackName(name) || isAddress(name) || rules.hosts.includes(name))) return null;
  const cure =
    name === null
      ? 'Send a Host header of the form NAME or NAME:PORT.'
      : `Start the coordinator with --allow-host ${name}.`;
  return {
    code: 'host-not-allowed',
    text: `The Host header ${name === null ? 'is missing or not well-formed' : `"${name}" is not one that this coordinator serves`}. ${cure}`,
  };
}

function pageRefusal(rules: OriginRules, arrival: Arrival, origin: string): OriginRefusal | null {
  if (rules.origins.includes(origin)) return null;
  const known = canonicalOrigin(origin);
  if (known !== null && known === canonicalOrigin(`${arrival.scheme}://${arrival.host ?? ''}`)) return null;
  if (known !== null && rules.anyLoopbackOrigin && isLoopbackName(new URL(known).hostname)) return null;
  // Only an origin that a browser can have sent is repeated, so that nobody is led to paste something else in a shell.
  const text =
    known === null
      ? 'The page has no origin of its own (a sandboxed frame, or a file); such pages are never allowed.'
      : `Pages of the origin ${known} are not allowed here. Start the coordinator with --origin ${known}.`;
  return { code: 'origin-not-allowed', text };
}

/** The origin as a browser writes it, or null where the text is not one: `null`, a path, a user, a wildcard. */
export function canonicalOrigin(text: string): string | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\\\s*]+$/i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  return url.origin;
}

/** The name or address in a Host header: lower case, without port, brackets and the root's dot. */
function hostName(header: string | undefined): string | null {
  const found = HOST.exec(header ?? '')?.[1];
  return found === undefined
    ? null
    : found
        .toLowerCase()
        .replace(/\.$/, '')
        .replace(/^\[(.*)\]$/, '$1');
}

/** An address can be nobody's foreign name: a page has it as its host only when it came from there. */
const isAddress = (name: string): boolean => isIP(name) !== 0;

export function isLoopbackName(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}
