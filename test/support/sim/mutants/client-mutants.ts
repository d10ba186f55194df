import type { Mutant } from './registry.ts';

const core = (file: string): string => `client/core/${file}.ts`;

/** Bugs of a client. */
export const CLIENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'count-from-receipt',
    bug: 'a deadline is counted from the receipt of the answer',
    rules: 'S6',
    patches: [
      {
        file: core('steps'),
        find: 'anchor: book.anchors.name(frame),',
        put: 'anchor: (book.anchors.name(frame), book.now),',
      },
      {
        file: core('hearing'),
        find: 'const anchor = book.anchors.name(frame);',
        put: 'book.anchors.name(frame); const anchor: typeof book.now | undefined = book.now;',
      },
    ],
    by: 'deadlines',
    within: 100,
  },
  {
    name: 'anchor-of-a-later-send',
    bug: 'an answer is counted from the last send instead of the frame that it names',
    rules: 'S6',
    patches: [
      {
        file: core('anchors'),
        find: 'const sent = sentAt.get(frame);',
        put: 'const sent = sentAt.get(frameNumber(last));',
      },
    ],
    by: 'deadlines',
    within: 100,
  },
  {
    name: 'wall-clock',
    bug: 'deadlines are counted on the wall clock',
    rules: 'R12',
    patches: [
      {
        file: core('elapsed'),
        find: 'return { mono: stamp.mono,',
        put: 'return { wall: stamp.wall, mono: stamp.mono,',
      },
      {
        file: core('lease-window'),
        find: 'window.stopMs - (now.mono - window.anchor.mono);',
        put: 'window.stopMs - (now.wall - window.anchor.wall);',
      },
      {
        file: core('lease-window'),
        find: 'window.stopMs - (now.real - window.anchor.real);',
        put: 'window.stopMs - (now.wall - window.anchor.wall);',
      },
    ],
    by: 'deadlines',
    within: 500,
  },
  {
    name: 'monotonic-alone',
    bug: 'elapsed time is the monotonic clock alone, which stands still while the host sleeps',
    rules: 'R12',
    patches: [{ file: core('elapsed'), find: 'risenMs += Math.max(0, now - top);', put: '' }],
    by: 'deadlines',
    within: 100,
  },
  {
    name: 'earlier-answer-clears-doubt',
    bug: 'a doubt is cleared by the answer to a frame that was sent before it, and what the wall clock rose is forgotten',
    rules: 'R12',
    patches: [
      {
        file: core('lease-machine'),
        find: 'event.frame < phase.after || leftByReal(fresh, now) <= 0',
        put: 'leftByMono(fresh, now) <= 0',
      },
      {
        file: core('lease-machine'),
        find: 'windowOf(event.told, event.anchor, lease.terms',
        put: `windowOf(event.told, phase.kind !== 'doubt' ? event.anchor : { mono: event.anchor.mono, real: later(now.real, event.anchor.mono - now.mono) }, lease.terms`,
      },
      {
        file: core('lease-machine'),
        find: 'fresh && leftByReal(fresh, now) >= leftByReal(lease.window, now) ? fresh : lease.window',
        put: "fresh && (phase.kind === 'doubt' || leftByReal(fresh, now) >= leftByReal(lease.window, now)) ? fresh : lease.window",
      },
    ],
    by: 'deadlines',
    within: 1_000,
  },
  {
    name: 'frame-numbers-start-again',
    bug: 'frames are numbered from 1 on each socket',
    rules: 'R9',
    patches: [
      {
        file: core('anchors'),
        find: '    record: (sent) => {',
        put: '    again: () => { last = 0; },\n    record: (sent) => {',
      },
      {
        file: core('steps'),
        find: '  const { label, metadata, pingMs } = settings;',
        put: '  anchors.again();\n  const { label, metadata, pingMs } = settings;',
      },
    ],
    by: 'liveness',
    within: 50,
  },
  {
    // The coordinator answers the repeat of such a claim with `ended`, until it is acknowledged, and has forgotten it then.
    name: 'unknown-ending-ignored',
    bug: 'of a grant that was lost with an abandoned socket, and ended since, neither the ending is acknowledged nor the claim said anew',
    rules: 'R2, R7',
    patches: [
      {
        file: core('hearing'),
        find: `  book.outbox.push({ type: 'endAck', name, fencingToken: token });
  for (const asked of book.asks.values())
    if (asked.claim?.terms.name === name) stepClaim(book, asked, { kind: 'repeat' });
`,
        put: '',
      },
    ],
    by: 'claims',
    within: 1_000,
  },
  {
    // Two lines of one rule: its client hands it back, and a `cancel` that meets it does the same.
    name: 'unwanted-grant-kept',
    bug: 'a late grant, for a claim that was given up meanwhile, is not given back, and closes the name until its window is over',
    rules: 'R2, R8',
    patches: [
      {
        file: core('hearing'),
        find: 'if (!left) return giveBack(book, name, token, ttlMs);',
        put: 'if (!left) return;',
      },
      {
        file: 'server/core/table/withdraw.ts',
        find: 'else if (holder !== null) giveBack(table, holder, now);',
        put: "else if (holder?.phase.kind === 'pending') giveBack(table, holder, now);",
      },
    ],
    by: 'unwanted',
    within: 1_000,
  },
  {
    name: 'waiter-expects-no-pings',
    bug: 'a waiter expects the pings of a client that waits for nothing (found by seed 198 of an earlier simulation)',
    rules: 'R21, decision 0014',
    patches: [
      {
        file: core('steps'),
        find: "if (claim?.phase.kind === 'queued') waiterPingMs = Math.min(waiterPingMs, pingMsOf(claim));",
        put: '',
      },
    ],
    by: 'claims',
    within: 3_000,
  },
];
