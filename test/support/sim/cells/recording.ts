import { REPOSITORY, type Patch } from '../mutants/patch.ts';

const from = (file: string, what: string): string =>
  `import { ${what} } from ${JSON.stringify(`${REPOSITORY}test/support/sim/cells/${file}`)};\n`;

const STEP = 'const { state, effects } = ';

/**
 * The places at which a machine meets an event, and nothing else: a step that is only tried (what a lease would say if it
 * were looked at now) visits nothing. The election's place is the simulation's own (candidate.ts).
 */
export const RECORDING: readonly Patch[] = [
  {
    file: 'client/core/steps.ts',
    find: '/** One step of a machine each, ',
    put: `${from('visited.ts', 'visit')}/** One step of a machine each, `,
  },
  {
    file: 'client/core/steps.ts',
    find: `${STEP}leaseStep(held.lease, event`,
    put: `visit('lease', held.lease.phase.kind, event.kind); ${STEP}leaseStep(held.lease, event`,
  },
  {
    file: 'client/core/steps.ts',
    find: `${STEP}claimStep(asked.claim, event`,
    put: `visit('claim', asked.claim.phase.kind, event.kind); ${STEP}claimStep(asked.claim, event`,
  },
  {
    file: 'client/core/steps.ts',
    find: `${STEP}connectionStep(book.connection, event`,
    put: `visit('connection', book.connection.phase.kind, event.kind); ${STEP}connectionStep(book.connection, event`,
  },
  {
    file: 'server/core/coordinator/carry.ts',
    find: 'const { session, effects } = stepSession(before, event',
    put: `visit('session', before.kind, event.kind); const { session, effects } = stepSession(before, event`,
  },
  {
    file: 'server/core/coordinator/carry.ts',
    find: "import { tell } from './speech.ts';\n",
    put: `import { tell } from './speech.ts';\n${from('visited.ts', 'visit')}`,
  },
  {
    file: 'server/core/lease-table.ts',
    find: 'export const makeLeaseTable: ',
    put: `${from('names.ts', 'meetCommand, meetTime')}export const makeLeaseTable: `,
  },
  {
    file: 'server/core/lease-table.ts',
    find: 'dispatch(table, now, command);\n      return said(table, now);',
    put: 'return meetCommand(table, command, () => { dispatch(table, now, command); return said(table, now); });',
  },
  {
    file: 'server/core/lease-table.ts',
    find: 'endDue(table, now);\n      return said(table, now);',
    put: 'return meetTime(table, () => { endDue(table, now); return said(table, now); });',
  },
];
