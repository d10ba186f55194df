import { describe, expect, test } from 'vitest';
import { stepSession, type Line, type Session, type SessionEvent } from '../../server/core/coordinator/session.ts';
import { socketId } from '../../server/core/core-types.ts';
import { frameNumber, instanceId } from '../../shared/ids.ts';
import { durationMs, later, listeningMs } from '../../shared/time.ts';
import { SESSION_STATES } from './session.states.ts';

const NOW = listeningMs(10_000);
const HERE = socketId(1);
const THERE = socketId(2);
const line: Line = { instance: instanceId('i'), dial: 3, frame: frameNumber(7), heardAt: listeningMs(9_000) };
const hello = { socket: THERE, instance: instanceId('i'), dial: 4, frame: frameNumber(9) };

const SESSIONS: { readonly [K in Session['kind']]: Extract<Session, { readonly kind: K }> } = {
  bound: { kind: 'bound', socket: HERE, line },
  away: { kind: 'away', line },
  unheard: { kind: 'unheard', instance: line.instance },
  bye: { kind: 'bye', line, keepUntil: later(NOW, 500) },
  expected: { kind: 'expected', line, keepUntil: later(NOW, 500) },
};

const EVENTS: { readonly [K in SessionEvent['kind']]: Extract<SessionEvent, { readonly kind: K }> } = {
  hello: { kind: 'hello', ...hello },
  'late-hello': { kind: 'late-hello', socket: THERE },
  'stale-hello': { kind: 'stale-hello', socket: THERE },
  'other-hello': { kind: 'other-hello', ...hello, instance: instanceId('j') },
  'heir-hello': { kind: 'heir-hello', ...hello, instance: instanceId('j') },
  frame: { kind: 'frame', socket: HERE, frame: frameNumber(8) },
  'stale-frame': { kind: 'stale-frame', socket: HERE },
  bye: { kind: 'bye', socket: HERE, keepMs: durationMs(2_000), comesBack: false },
  'socket-closed': { kind: 'socket-closed', socket: HERE },
  drained: { kind: 'drained' },
  'life-over': { kind: 'life-over' },
  'keep-over': { kind: 'keep-over' },
};

const cells = Object.values(SESSIONS).flatMap((session) =>
  Object.values(EVENTS).map((event) => ({
    state: session.kind,
    kind: event.kind,
    session,
    event,
    cell: SESSION_STATES[session.kind][event.kind],
  })),
);

describe('session states', () => {
  test.each(cells)('$state meets $kind: $cell.why', ({ session, event, cell }) => {
    const step = stepSession(session, event, NOW);
    expect(step.session?.kind ?? 'over').toBe(cell.next);
    expect(step.effects.map((effect) => effect.kind)).toEqual(cell.effects);
  });

  test('the table is the page docs/SESSION-STATES.md', async () => {
    await expect(page()).toMatchFileSnapshot('../../docs/SESSION-STATES.md');
  });

  test('R9 what comes from a socket that was replaced changes nothing', () => {
    const events: readonly SessionEvent[] = [
      { ...EVENTS.frame, socket: THERE },
      { ...EVENTS['stale-frame'], socket: THERE },
      { ...EVENTS.bye, socket: THERE },
      { ...EVENTS['socket-closed'], socket: THERE },
    ];
    for (const event of events)
      expect(stepSession(SESSIONS.bound, event, NOW)).toEqual({ session: SESSIONS.bound, effects: [] });
  });

  test.each([SESSIONS.bye, SESSIONS.expected])(
    'R10 another instance takes over a session ($kind) until keepMs is over, to the millisecond',
    (session) => {
      const { keepUntil } = session;
      expect(stepSession(session, EVENTS['other-hello'], keepUntil).effects).toEqual([
        { kind: 'welcome', socket: THERE },
      ]);
      expect(stepSession(session, EVENTS['other-hello'], later(keepUntil, 1)).effects).toEqual([
        { kind: 'separate', socket: THERE },
      ]);
    },
  );

  test('a bye of a client that comes back passes its claims over, and withdraws none', () => {
    const step = stepSession(SESSIONS.bound, { ...EVENTS.bye, comesBack: true }, NOW);
    expect(step.session).toEqual({ kind: 'expected', line, keepUntil: later(NOW, 2_000) });
    expect(step.effects.map(({ kind }) => kind)).toEqual(['pass-over', 'close']);
  });

  test('a hello and a frame move the line from which silence and anchors are counted', () => {
    const { session: resumed } = stepSession(SESSIONS.away, EVENTS.hello, NOW);
    expect(resumed).toEqual({
      kind: 'bound',
      socket: THERE,
      line: { instance: line.instance, dial: 4, frame: 9, heardAt: NOW },
    });
    const { session: read } = stepSession(SESSIONS.bound, EVENTS.frame, NOW);
    expect(read).toEqual({ kind: 'bound', socket: HERE, line: { ...line, frame: 8, heardAt: NOW } });
  });
});

function page(): string {
  const rows = cells.map(
    ({ state, kind, cell }) => `| ${state} | ${kind} | ${cell.next} | ${cell.effects.join(', ')} | ${cell.why} |`,
  );
  return `# States of a session

What binds a session of the coordinator to a client: every state with every event. Printed by \`test/tables/session.test.ts\`
from the table that it holds the code against (\`npx vitest run --project pure test/tables/session.test.ts -u\`).

- **bound**: a socket speaks for it.
- **away**: its socket is gone; its leases and claims are not.
- **unheard**: read from the journal at the start of this run, and not heard from since.
- **bye**: its last word was \`bye\`.
- **expected**: its last word was \`bye\` with \`comesBack\`.

An event names a \`hello\` that has shown the right secret. *late*: its dial is not above the last one; *stale*: its frame
number, or that of a frame, is not; *other*: it is of another instance.

| state | event | next | effects | why |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
