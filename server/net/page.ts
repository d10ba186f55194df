import { createHash } from 'node:crypto';

export interface PageFacts {
  readonly version: string;
  /** Where sockets go, worked out from the request. */
  readonly socketUrl: string;
  readonly ready: boolean;
  readonly reasons: readonly string[];
  /** Paths of the example pages, behind this one's own. */
  readonly examples: readonly string[];
}

const STYLE = `
:root { color-scheme: light dark; --ground: #fbfaf7; --ink: #1d1f21; --soft: #5c6166; --line: #dcd8cf; --good: #1a6b3c; --bad: #a3341f; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181a; --ink: #e8e6e1; --soft: #9aa0a6; --line: #34383c; --good: #6fcf97; --bad: #f28b74; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
p { margin: .75rem 0; }
small, .soft { color: var(--soft); }
.good { color: var(--good); } .bad { color: var(--bad); }
pre { border: 1px solid var(--line); border-radius: .375rem; padding: 1rem; overflow-x: auto; font: .875rem/1.5 ui-monospace, monospace; }
a { color: inherit; }
:focus-visible { outline: 2px solid currentcolor; outline-offset: 2px; }
`;

/** Nothing is loaded and nothing runs; the one style is named by its hash. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What a person sees who opens the coordinator's address in a browser. */
export function page(facts: PageFacts): string {
  const state = facts.ready
    ? '<span class="good">Ready.</span>'
    : `<span class="bad">Not ready:</span> ${escaped(facts.reasons.join('; '))}.`;
  const examples = facts.examples.map((path) => `<a href="${escaped(path)}">/${escaped(path)}</a>`).join(', ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Leasehold coordinator</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Leasehold coordinator</h1>
<p class="soft">One holder at a time, for browser tabs, edge workers and Node processes.</p>
<p>${state}</p>
<p>Clients take leases over a WebSocket at <code>${escaped(facts.socketUrl)}</code>:</p>
<pre><code>import { connect } from 'leasehold';

const client = connect('${escaped(facts.socketUrl)}');
await client.run('nightly-report', async (lease) =&gt; {
  // One holder at a time. Send lease.fencingToken with each write.
});</code></pre>
${examples === '' ? '' : `<p>To see it, open ${examples} in two or three tabs.</p>\n`}<p>For probes: <a href="healthz">/healthz</a> says that the process is up, <a href="readyz">/readyz</a> that it can grant.</p>
<p><small>leasehold-server ${escaped(facts.version)}</small></p>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
