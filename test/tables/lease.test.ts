import { describe, expect, test } from 'vitest';
import type { TableEvent } from '../../server/core/table-types.ts';
import { wallMs } from '../../shared/time.ts';
import {
  acquire,
  amend,
  cancel,
  claimsGone,
  endAck,
  kinds,
  Lab,
  liftMark,
  NAME,
  quiet,
  release,
  renew,
  revoke,
  setState,
  silent,
  who,
  writable,
} from '../unit/server/table/support/lab.ts';
import { LEASE_STATES, type Cell, type Happening, type Phase } from './lease.states.ts';

interface Scene {
  readonly lab: Lab;
  /** Of the lease that `a` has, had or is about to have. */
  readonly token: number;
}

/** Something else had a token before, so that there is an older one than T. */
function begin(asking: Parameters<typeof acquire>[1] = {}): Scene {
  const lab = new Lab();
  lab.granted('z', {}, 'elsewhere');
  lab.do(acquire('a', asking));
  return { lab, token: 2 };
}

function held(asking: Parameters<typeof acquire>[1] = {}): Scene {
  const scene = begin(asking);
  scene.lab.flush();
  return scene;
}

function after(scene: Scene, what: (scene: Scene) => unknown): Scene {
  what(scene);
  scene.lab.flush();
  return scene;
}

const SCENES: Record<Phase, () => Scene> = {
  free: () => after(held(), ({ lab, token }) => lab.do(release('a', token))),
  pending: () => begin(),
  held: () => held(),
  recovered: () =>
    after(held(), ({ lab }) => {
      lab.restart();
      lab.pass(1_000);
      lab.flush(lab.noteTime());
    }),
  ending: () => after(held(), ({ lab }) => lab.do(revoke())),
  closed: () => after(held({ minHoldMs: 60_000 }), ({ lab, token }) => lab.do(release('a', token))),
  delayed: () => after(held({ lockDelayMs: 60_000 }), ({ lab }) => lab.after(10_000)),
};

const HAPPENINGS: Record<Happening, (scene: Scene) => readonly TableEvent[]> = {
  acquire: ({ lab }) => lab.do(acquire('b')),
  'acquire, one try': ({ lab }) => lab.do(acquire('b', { waitMs: 0 })),
  'acquire, stealing': ({ lab }) => lab.do(acquire('b', { steal: true })),
  'acquire, repeated by a': ({ lab }) => lab.do(acquire('a')),
  amend: ({ lab }) => lab.do(amend('a', 5)),
  cancel: ({ lab }) => lab.do(cancel('a')),
  renew: ({ lab, token }) => lab.do(renew('a', token)),
  'renew, older token': ({ lab, token }) => lab.do(renew('a', token - 1)),
  'renew, by another': ({ lab, token }) => lab.do(renew('b', token)),
  release: ({ lab, token }) => lab.do(release('a', token)),
  'release, by another': ({ lab, token }) => lab.do(release('b', token)),
  'hand-over': ({ lab, token }) => lab.do(release('a', token, true)),
  'set-state': ({ lab, token }) => lab.do(setState('a', token, 'x')),
  'set-state, by another': ({ lab, token }) => lab.do(setState('b', token, 'x')),
  'end-ack': ({ lab, token }) => lab.do(endAck('a', token)),
  'end-ack, by another': ({ lab, token }) => lab.do(endAck('b', token)),
  revoke: ({ lab }) => lab.do(revoke()),
  'revoke, now': ({ lab }) => lab.do(revoke(null, true)),
  'heard-from': ({ lab }) => lab.do(silent('a')),
  'claims-gone': ({ lab }) => lab.do(claimsGone('a')),
  'lift-mark': ({ lab }) => lab.do(liftMark(1_000)),
  quiet: ({ lab }) => lab.do(quiet(lab.now + 5_000)),
  writable: ({ lab }) => lab.do(writable(false)),
  draining: ({ lab }) => lab.do({ kind: 'draining' }),
  limits: ({ lab }) => lab.do({ kind: 'limits', limits: { ...lab.limits, ttlMsMax: 1_000 } }),
  'drop-idle-states': ({ lab }) => lab.do({ kind: 'drop-idle-states', wall: wallMs(1e12) }),
  appended: ({ lab }) => {
    lab.take();
    return lab.arrive();
  },
  'append-failed': ({ lab }) => {
    lab.take();
    return lab.fail();
  },
  time: ({ lab }) => ofName(lab.after(60_000)),
};

const ofName = (events: readonly TableEvent[]): readonly TableEvent[] =>
  events.filter((event) => !('name' in event) || event.name === NAME);

/** As it shows; whether it is closed, only the journal has in so many words. */
function phaseOf({ lab, token }: Scene): Phase {
  const mine = ['a', 'b'].flatMap((by) => lab.table.heldBy(who(by).session));
  const isUnheard = lab.table.unheard(lab.now).some((lease) => lease.fencingToken === token);
  if (mine.length > 0) return isUnheard ? 'recovered' : 'held';
  if (lab.holder() !== null) return 'ending';
  if (lab.table.longestLeaseMs(who('a').session) !== null || lab.table.longestLeaseMs(who('b').session) !== null)
    return 'pending';
  lab.flush();
  const closure = [...lab.image.closures.values()].find((one) => one.name === NAME);
  if (closure === undefined) return 'free';
  return closure.exempt === null ? 'closed' : 'delayed';
}

const codesIn = (events: readonly TableEvent[]): readonly unknown[] =>
  events.flatMap((event) => ('code' in event ? [event.code] : []));

// The keys of a total record are those of its type.
const phases = Object.keys(LEASE_STATES) as Phase[];
const happenings = Object.keys(HAPPENINGS) as Happening[];
const cells = phases.flatMap((phase) =>
  happenings.map((happening) => ({ phase, happening, cell: LEASE_STATES[phase][happening] })),
);

describe('lease states', () => {
  test.each(phases)('%s is reached as it is named', (phase) => {
    expect(phaseOf(SCENES[phase]())).toBe(phase);
  });

  test.each(cells)('$phase meets $happening: $cell.fate, $cell.why', ({ phase, happening, cell }) => {
    const scene = SCENES[phase]();
    const said = HAPPENINGS[happening](scene);
    expect(kinds(said)).toEqual(cell.says);
    expect([...codesIn(said), null]).toContain(cell.code);
    expect(phaseOf(scene)).toBe(cell.next);
  });

  test('what is ignored says nothing and changes no phase; what is refused has a code', () => {
    const wrong = cells.filter(({ phase, cell }) => {
      if (cell.fate === 'ignored') return cell.says.length > 0 || cell.next !== phase;
      return (cell.code === null) !== (cell.fate === 'done');
    });
    expect(wrong).toEqual([]);
  });

  test('the table is the page docs/LEASE-STATES.md', async () => {
    await expect(page()).toMatchFileSnapshot('../../docs/LEASE-STATES.md');
  });
});

const fateOf = ({ fate, code }: Cell): string => (code === null ? fate : `${fate} \`${code}\``);

function page(): string {
  const rows = cells.map(
    ({ phase, happening, cell }) =>
      `| ${phase} | ${happening} | ${fateOf(cell)} | ${cell.next} | ${cell.says.join(', ')} | ${cell.why} |`,
  );
  return `# States of a name

What the lease table does with a name: every phase with every command. Printed by \`test/tables/lease.test.ts\` from the
table that it holds the code against (\`npx vitest run --project pure test/tables/lease.test.ts -u\`).

- **free**: nobody holds it; nothing is known of it any more.
- **pending**: a grant is decided, and on its way to the journal.
- **held**: a grant is told, and its window is not over.
- **recovered**: held since an earlier run; its holder was not heard from in this one, and that silence is stored.
- **ending**: revoked or stolen; its holder may still believe.
- **closed**: released before its minimum hold was over; closed to everybody.
- **delayed**: expired or revoked with a lock-delay; closed to all but the same session.

Session \`a\` holds the name, held it, or is about to, with token T; a command is \`a\`'s where the row does not say
otherwise, and \`acquire\` is another session's. Nobody else waits: what a queue does is in
\`test/unit/server/table/queue.test.ts\`.

| phase | command | fate | next | says | why |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
