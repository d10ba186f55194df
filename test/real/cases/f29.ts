import { fileURLToPath } from 'node:url';
import type { Bench } from '../support/bench.ts';
import type { CoordinatorProcess } from '../support/coordinator-process.ts';
import type { FieldCase } from '../support/field-case.ts';
import { Script, type ScriptLine } from '../support/script.ts';
import { eventually, sleep } from '../support/waiting.ts';
import { garbageAt } from './f29/garbage.ts';

const HOLDS = fileURLToPath(new URL('./f29/holds.ts', import.meta.url));
/** What a process may grow by over an outage: its code is compiled on the way, and nothing is kept of what failed. */
const GROWN_BYTES_MAX = 4 * 2 ** 20;

const ANSWERS_MIN = 12;

export const F29: FieldCase = {
  id: 'F29',
  title: 'S10 a process without a handler of errors outlives outages, garbage and refused TLS, and may see them',
  async run(bench, size) {
    const outageMs = size === 'full' ? 60_000 : 3_000;
    const coordinator = await bench.coordinator();
    const other = bench.process().client('other', coordinator.url, { idleMs: 60_000 });
    await other.acquire('busy', 'busy');
    using scripts = new DisposableStack();
    const script = (...args: readonly string[]): Script => scripts.use(new Script(HOLDS, args));
    const [hears, deaf] = [script(coordinator.url, 'one', 'hears'), script(coordinator.url, 'two')];
    // Against a server that speaks plainly, a client of wss:// is refused TLS; it never held anything.
    const refused = script(coordinator.url.replace('ws:', 'wss:'), 'none', 'hears');
    const place = { bench, outageMs, living: [hears, deaf], refused };
    await outages(place, coordinator);
  },
};

interface Place {
  readonly bench: Bench;
  readonly outageMs: number;
  /** One that hears events, one that does not. */
  readonly living: readonly Script[];
  readonly refused: Script;
}

async function outages({ bench, outageMs, living, refused }: Place, coordinator: CoordinatorProcess): Promise<void> {
  const all = [...living, refused];
  const told = (what: string): Promise<void> => tell(bench, what, all);
  await Promise.all(living.map((script) => script.says('holds')));
  await sleep(1_000);
  const before = await Promise.all(all.map(look));
  measureStatus(bench, 'the coordinator answers', before.slice(0, 2), 'open');
  await coordinator.kill();
  await sleep(outageMs / 2);
  // What the first failures cost once (their code, their texts) is no leak.
  const early = await Promise.all(all.map(look));
  await sleep(outageMs / 2);
  const late = await Promise.all(all.map(look));
  measureStatus(bench, `killed for ${outageMs / 1_000} s`, late, 'backing-off', 'connecting');
  await told('the coordinator is killed');
  {
    await using garbage = await garbageAt(coordinator.port);
    await eventually(() => (garbage.answered >= ANSWERS_MIN ? true : null), 30_000, 'garbage is answered');
    // Who gets which answer is chance.
    await living[0]?.says('warning');
    await sleep(outageMs / 6);
    measureStatus(bench, 'garbage is answered', await Promise.all(all.map(look)), 'backing-off', 'connecting', 'open');
    await told('garbage is answered');
  }
  measureEvents(bench, living, refused);
  const after = await Promise.all(all.map(look));
  measureMemory(bench, early, after);
}

async function look(script: Script): Promise<ScriptLine> {
  const seen = script.lines.length;
  script.tell({ look: true });
  return eventually(
    () => script.lines.slice(seen).find(({ what }) => what === 'look') ?? null,
    30_000,
    `a script looks: ${script.stderr}`,
  );
}

function measureStatus(bench: Bench, when: string, looks: readonly ScriptLine[], ...right: readonly string[]): void {
  const told = looks.map(({ fields }) => fields);
  bench.measure(
    `${when}: what the client says of itself`,
    told.map(({ status, code, lease }) => `${String(status)} (${String(code)}, lease ${String(lease)})`).join('; '),
    right.join(' or '),
    told.every(({ status }) => right.includes(String(status))),
  );
}

async function tell(bench: Bench, when: string, scripts: readonly Script[]): Promise<void> {
  const living = scripts.filter((script) => script.living).length;
  const texts = scripts.map(({ stderr }) => stderr).join('');
  bench.measure(
    `${when}: processes alive, and what they wrote to stderr`,
    `${living}; ${texts === '' ? 'nothing' : texts}`,
    `${scripts.length}, nothing: no rejection and no error was left unhandled`,
    living === scripts.length && texts === '',
  );
}

/** What the listeners of one of them were told, and of the one that was refused TLS. */
function measureEvents(bench: Bench, [hears]: readonly Script[], refused: Script): void {
  const told = (script: Script | undefined, what: string, field: string): readonly string[] => [
    ...new Set(script?.lines.filter((line) => line.what === what).map(({ fields }) => String(fields[field]))),
  ];
  const lost = told(hears, 'lost', 'code');
  const [statuses, warnings] = [told(hears, 'status', 'status'), told(hears, 'warning', 'code')];
  bench.measure(
    'what events told',
    `status ${statuses.join(', ')}; lost ${lost.join(', ')}; warnings ${warnings.join(', ')}`,
    'that it backed off, that its lease was lost, and of bad frames',
    statuses.includes('backing-off') && lost.length === 1 && warnings.includes('bad-frame'),
  );
  const of = told(refused, 'status', 'status');
  bench.measure(
    'what events told where TLS was refused',
    of.join(', '),
    'that it backed off, and never that it was open',
    of.includes('backing-off') && !of.includes('open'),
  );
}

function measureMemory(bench: Bench, before: readonly ScriptLine[], after: readonly ScriptLine[]): void {
  const grown = after.map(
    ({ fields }, index) => Number(fields['heapUsed']) - Number(before[index]?.fields['heapUsed']),
  );
  bench.measure(
    'heap after a collection, from the middle of the outage to the end',
    grown.map((bytes) => `${(bytes / 2 ** 20).toFixed(2)} MiB`).join(', '),
    `at most ${GROWN_BYTES_MAX / 2 ** 20} MiB more`,
    grown.every((bytes) => bytes <= GROWN_BYTES_MAX),
  );
}
