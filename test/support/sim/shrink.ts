import type { Finder, Problem } from './checkers/all.ts';
import { clientsOf, COORDINATOR, type Fault, type Plan } from './plan.ts';
import { play } from './simulation.ts';

export interface Shrunk {
  readonly plan: Plan;
  readonly problems: readonly Problem[];
  /** Plays that it took. */
  readonly plays: number;
}

/** Plays at most: a plan that is small enough to read is enough. */
const PLAYS_MAX = 400;
const LEAST_FAULTY_MS = 500;
const LEAST_CALM_MS = 1_000;

/** Makes a plan that fails smaller, as long as the same checker still finds something. */
export function shrink(plan: Plan): Shrunk {
  const first = play(plan).problems;
  const by = first[0]?.by;
  if (by === undefined) return { plan, problems: [], plays: 1 };
  const search = new Search(plan, first, by);
  for (let before = ''; before !== JSON.stringify(search.plan);) {
    before = JSON.stringify(search.plan);
    search.dropFaults();
    search.simplify();
    search.soften();
  }
  return { plan: search.plan, problems: search.problems, plays: search.plays };
}

class Search {
  plan: Plan;
  problems: readonly Problem[];
  plays = 1;
  readonly #by: Finder;

  constructor(plan: Plan, problems: readonly Problem[], by: Finder) {
    this.plan = plan;
    this.problems = problems;
    this.#by = by;
  }

  /** Half of them, then quarters, down to one by one. */
  dropFaults(): void {
    for (let size = Math.ceil(this.plan.faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < this.plan.faults.length;) {
        const { faults } = this.plan;
        if (!this.#try({ ...this.plan, faults: [...faults.slice(0, at), ...faults.slice(at + size)] })) at += size;
      }
    }
  }

  /** Shorter, with fewer clients, on one name, without what nobody needs. */
  simplify(): void {
    const { faults, clients } = this.plan;
    const last = Math.max(LEAST_FAULTY_MS, ...faults.map(({ at }) => at + 1));
    this.#try({ ...this.plan, faultyMs: last });
    // What goes on in calm times needs its time.
    if (this.#by !== 'liveness' && this.#by !== 'claims')
      this.#try({ ...this.plan, calmMs: Math.max(LEAST_CALM_MS, Math.floor(this.plan.calmMs / 2)) });
    this.#try({ ...this.plan, names: 1 });
    if (clients <= 2) return;
    const staying = new Set([...clientsOf({ clients: clients - 1 }), COORDINATOR, 'all']);
    this.#try({ ...this.plan, clients: clients - 1, faults: faults.filter(({ who }) => staying.has(who)) });
  }

  /** What lasts lasts half as long. */
  soften(): void {
    for (const [index, fault] of this.plan.faults.entries()) {
      if (fault.ms < 2) continue;
      const softer: Fault = { ...fault, ms: Math.floor(fault.ms / 2) };
      this.#try({ ...this.plan, faults: this.plan.faults.with(index, softer) });
    }
  }

  #try(plan: Plan): boolean {
    if (this.plays >= PLAYS_MAX || JSON.stringify(plan) === JSON.stringify(this.plan)) return false;
    this.plays += 1;
    const { problems } = play(plan);
    if (!problems.some(({ by }) => by === this.#by)) return false;
    this.plan = plan;
    this.problems = problems;
    return true;
  }
}

/** As formatter and linter want it: `20_000`, `'a'`. */
const inSource = (value: number | string): string =>
  typeof value === 'string' ? `'${value}'` : String(value).replace(/\B(?=(\d{3})+$)/g, '_');

/** As a test to be pasted into test/sim/found.test.ts. */
export function asTest({ plan, problems }: Pick<Shrunk, 'plan' | 'problems'>): string {
  const [first] = problems;
  const { faults, ...others } = plan;
  const fields = Object.entries(others).map(([name, value]) => `${name}: ${inSource(value)}`);
  const lines = faults.map(
    ({ at, kind, who, ms, size }) =>
      `      { at: ${inSource(at)}, kind: '${kind}', who: '${who}', ms: ${inSource(ms)}, size: ${inSource(size)} },`,
  );
  return [
    `// ${first === undefined ? 'nothing found' : `${first.by}: ${first.text.split('\n')[0]}`}`,
    `test('seed ${plan.seed}: say here what holds again', () => {`,
    '  const plan: Plan = {',
    ...fields.map((field) => `    ${field},`),
    ...(lines.length === 0 ? ['    faults: [],'] : ['    faults: [', ...lines, '    ],']),
    '  };',
    '  expect(play(plan).problems).toEqual([]);',
    '});',
  ].join('\n');
}
