import type { Mutant } from './registry.ts';

const table = (file: string): string => `server/core/table/${file}.ts`;

const ANY_HOLDER = 'entry?.holders.find((one) => one.phase.kind === "held") ?? ';

/** Bugs of the lease table. */
export const TABLE_MUTANTS: readonly Mutant[] = [
  {
    name: 'no-fence-on-state',
    bug: 'a state is written whatever its token',
    rules: 'S3',
    patches: [
      {
        file: table('set-state'),
        find: 'const holder = findCurrent(entry,',
        put: `const holder = ${ANY_HOLDER}findCurrent(entry,`,
      },
    ],
    by: 'writes',
    within: 1_000,
  },
  {
    name: 'renewal-not-conditional',
    bug: 'a renewal lengthens whatever is held, and its sender is told so',
    rules: 'S3',
    patches: [
      {
        file: table('renew'),
        find: 'const holder = findCurrent(table.names.find(command.name),',
        put: `const entry = table.names.find(command.name);\n  const holder = ${ANY_HOLDER}findCurrent(entry,`,
      },
      {
        file: 'server/core/coordinator/messages.ts',
        find: 'answers.push(heldAsOf(event.lease, heardAt))',
        put: 'answers.push({ ...heldAsOf(event.lease, heardAt), fencingToken })',
      },
    ],
    by: 'renewals',
    within: 100,
  },
  {
    name: 'release-not-conditional',
    bug: 'a release ends whatever is held',
    rules: 'S3',
    patches: [
      {
        file: table('release'),
        find: 'const holder = findCurrent(entry,',
        put: `const holder = ${ANY_HOLDER}findCurrent(entry,`,
      },
    ],
    by: 'beliefs',
    within: 100,
  },
  {
    name: 'restart-without-full-windows',
    bug: 'a restart gives a stored lease half of its window',
    rules: 'S5',
    patches: [
      { file: table('recover'), find: 'Math.max(0, ttlMs - silentMs)', put: 'Math.max(0, ttlMs / 2 - silentMs)' },
    ],
    by: 'deadlines',
    within: 100,
  },
  {
    name: 'heard-not-awaited',
    bug: 'the first renewal after a restart moves its deadline before it is stored that its holder was heard',
    rules: 'R3',
    patches: [{ file: table('renew'), find: "if (held.hearing.kind === 'heard') moveDeadline", put: 'moveDeadline' }],
    by: 'deadlines',
    within: 1_000,
  },
  {
    name: 'shorter-renewal-moves-earlier',
    bug: 'a renewal under a lowered maximum moves the deadline earlier',
    rules: 'R4',
    patches: [{ file: table('renew'), find: 'if (until <= phase.deadline) return;', put: '' }],
    by: 'deadlines',
    within: 100,
  },
  {
    name: 'longer-window-from-memory',
    bug: 'a renewal under a raised maximum grants more than what is stored',
    rules: 'R4',
    patches: [
      {
        file: table('holders'),
        find: 'Math.min(askedTtlMs, table.limits.ttlMsMax, storedMs)',
        put: 'Math.min(askedTtlMs, table.limits.ttlMsMax)',
      },
    ],
    by: 'deadlines',
    within: 1_000,
  },
  {
    name: 'repeat-tells-a-full-window',
    bug: 'a repeated acquire is told of a full window, and renews nothing',
    rules: 'R7',
    patches: [
      { file: table('acquire'), find: '      lengthen(table, holder, phase, now);\n', put: '' },
      {
        file: table('acquire'),
        find: 'lease: heldLease(table, holder, phase),',
        put: 'lease: { ...heldLease(table, holder, phase), deadline: later(now, phase.ttlMs) },',
      },
    ],
    by: 'deadlines',
    within: 1_000,
  },
  {
    name: 'endings-forgotten',
    bug: 'endings in a failed append are forgotten',
    rules: 'R14',
    patches: [
      {
        file: table('undo'),
        find: "return event.kind === 'ended' && unwritten.has(event.fencingToken) ? []",
        put: "return event.kind === 'ended' ? []",
      },
    ],
    by: 'writes',
    within: 100,
  },
  {
    name: 'revoke-opens-at-once',
    bug: 'a revoke opens the name before its holder has stopped',
    rules: 'R1',
    patches: [{ file: table('endings'), find: 'if (atOnce) endByForce', put: 'if (atOnce || true) endByForce' }],
    by: 'beliefs',
    within: 100,
  },
  {
    name: 'waiter-granted-while-gone',
    bug: 'a waiter that is not heard from is granted like any other',
    rules: 'R19',
    patches: [
      { file: table('silence'), find: "claim.entry.queue?.stand(claim, 'silent');", put: '' },
      {
        file: table('claims'),
        find: "table.sessions.find(claim.terms.session)?.silent === true ? 'silent' : 'awake'",
        put: "'awake'",
      },
    ],
    by: 'waiters',
    within: 100,
  },
  {
    name: 'counter-reset-with-the-row',
    bug: 'the token counter is that of the leases that are stored, not a row of its own',
    rules: 'S2, R17',
    patches: [
      {
        file: table('recover'),
        find: 'markAtStart(contents.mark, wall)',
        put: 'markAtStart(fencingToken(Math.max(0, ...contents.leases.map((lease) => lease.fencingToken))), wall)',
      },
    ],
    by: 'tokens',
    within: 2_000,
  },
  {
    name: 'priority-ignored',
    bug: 'the queue is in order of arrival alone',
    rules: 'S8, R19',
    patches: [{ file: table('claim-queue'), find: ' || b.terms.priority - a.terms.priority', put: '' }],
    by: 'order',
    within: 300,
  },
  {
    name: 'last-come-first',
    bug: 'of those who wait with the same priority the latest is granted first',
    rules: 'S8, R19',
    patches: [{ file: table('claim-queue'), find: 'a.arrival - b.arrival', put: 'b.arrival - a.arrival' }],
    by: 'order',
    within: 300,
  },
];
