import type { Mutant } from './registry.ts';

const coordinator = (file: string): string => `server/core/coordinator/${file}.ts`;

/** Bugs of sessions, of what is said, and of time. */
export const COORDINATOR_MUTANTS: readonly Mutant[] = [
  {
    name: 'speak-before-append',
    bug: 'what a batch decides is told before the batch is stored',
    rules: 'S4, R15',
    patches: [
      {
        file: 'server/net/driver.ts',
        find: 'this.#inFlight = journal.append(batch).then(\n',
        put: `this.input({ kind: 'appended', sequence: batch.sequence, ok: true });
    journal.append(batch).then(() => undefined, () => undefined);
    this.#inFlight = ((...nobody) => Promise.resolve())(\n`,
      },
    ],
    by: 'writes',
    within: 50,
  },
  {
    name: 'expiry-before-reading',
    bug: 'what is over ends before the sockets are read',
    rules: 'S9, R6',
    patches: [
      {
        file: 'server/net/driver.ts',
        find: 'if (wake !== null && wake <= this.#expiry) this.#askForTurn();',
        put: 'if (wake !== null && wake <= this.#expiry) this.#takeTurn();',
      },
    ],
    by: 'listening',
    within: 1_000,
  },
  {
    name: 'clock-catches-up',
    bug: 'the listening clock catches up after a stall',
    rules: 'R6',
    patches: [
      {
        file: 'server/core/listening-clock.ts',
        find: '      seen = mono;\n',
        put: '      seen = later(seen, Math.min(LISTENING_STEP_MS, elapsed));\n',
      },
    ],
    by: 'deadlines',
    within: 100,
  },
  {
    name: 'resume-by-another-instance',
    bug: 'whoever shows the secret takes the session over',
    rules: 'R10',
    patches: [
      {
        file: coordinator('session'),
        find: "if (instance !== hello.instance) return { kind: instance === left ? 'heir-hello' : 'other-hello', ...hello };",
        put: "if (instance !== hello.instance) return { kind: 'hello', ...hello };",
      },
    ],
    by: 'observer',
    within: 100,
  },
  {
    name: 'late-hello-wins',
    bug: 'a late hello of a socket that was given up takes the session back',
    rules: 'R9',
    patches: [
      {
        file: coordinator('session'),
        find: "if (hello.dial <= session.line.dial) return { kind: 'late-hello', socket };",
        put: '',
      },
      {
        file: coordinator('session'),
        find: "return hello.frame <= session.line.frame ? { kind: 'stale-hello', socket } : { kind: 'hello', ...hello };",
        put: "return { kind: 'hello', ...hello };",
      },
    ],
    by: 'observer',
    within: 100,
  },
  {
    // Two lines of one rule: it is not closed, and it still speaks for the session.
    name: 'replaced-socket-heard',
    bug: 'what comes on a replaced socket is still applied',
    rules: 'R9',
    patches: [
      {
        file: coordinator('session'),
        find: "return bind(event, now, [{ kind: 'refuse', socket: session.socket, code: 'replaced' }]);",
        put: 'return bind(event, now);',
      },
      {
        file: coordinator('session-book'),
        find: '      unregister(entry);\n      entry.session = session;',
        put: '      entry.session = session;',
      },
    ],
    by: 'writes',
    within: 1_000,
  },
  {
    name: 'welcome-tells-a-full-window',
    bug: 'welcome tells of a full window instead of what is left',
    rules: 'R8',
    patches: [
      {
        file: coordinator('hello'),
        find: '.map((lease) => heldAsOf(lease, now)),',
        put: '.map((lease) => ({ ...heldAsOf(lease, now), leftMs: durationMs(Math.floor(lease.ttlMs)) })),',
      },
    ],
    by: 'deadlines',
    within: 100,
  },
  {
    name: 'ended-overtakes-its-grant',
    bug: 'an ending is told before the grant that it ends',
    rules: 'R2',
    patches: [
      {
        file: coordinator('outbox'),
        find: '      else frame.push(message);',
        put: "      else if (message.type === 'ended') frame.unshift(message);\n      else frame.push(message);",
      },
    ],
    by: 'beliefs',
    within: 1_000,
  },
];
