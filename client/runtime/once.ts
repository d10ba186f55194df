import { ONCE_SLOTS_MAX, SLOT_BYTES_MAX } from '../../shared/limits.ts';
import { inWords } from '../../shared/options.ts';
import { badRequest } from './errors.ts';
import type { Inside } from './inside.ts';
import { checkLine, refused, RUN_RULES, type Rules } from './options.ts';
import type { Lease } from './public-lease.ts';
import type { OnceOptions, OnceResult } from './public-once.ts';
import type { Work } from './run.ts';

/** What is written of a slot that is done. */
type Done = Readonly<Record<'slot' | 'by' | 'at', string> & Record<'fencingToken', number>>;

const KEY = 'leasehold.once';

/** `client.once`, see there. */
export async function once<T>(
  inside: Inside,
  name: string,
  options: OnceOptions,
  work: Work<T>,
): Promise<OnceResult<T>> {
  if (typeof work !== 'function') throw refused('work', work, 'function');
  const { ifUnavailable: _ifUnavailable, ...runRules } = RUN_RULES;
  const rules: Rules<OnceOptions> = { ...runRules, slot: 'string', mark: '"before" or "after"' };
  inside.terms(name, options, rules);
  const { slot, mark = 'after', ...rest } = options;
  checkLine('slot', slot, SLOT_BYTES_MAX);
  if (slot === '') throw refused('slot', slot, `1 to ${SLOT_BYTES_MAX} bytes`);

  return inside.run<OnceResult<T>>(name, rest, async (lease) => {
    const done = doneSlots(lease);
    const before = done.find((one) => one.slot === slot);
    if (before !== undefined) {
      const { by, at, fencingToken } = before;
      return { ran: false, slot, by, at, fencingToken };
    }
    const write = (): Promise<number> => {
      const at = new Date().toISOString();
      const mine: Done = { slot, by: inside.label, at, fencingToken: lease.fencingToken };
      return lease.setState({ [KEY]: [...done, mine].slice(-ONCE_SLOTS_MAX) });
    };
    // Durable before the work starts.
    if (mark === 'before') await write();
    const value = await work(lease);
    // Under the same token: whoever has lost the lease meanwhile has not done the slot.
    if (mark === 'after') await write();
    return { ran: true, slot, value };
  });
}

/** What the state of the name says; throws `bad-request` where it says something else. */
function doneSlots({ name, state }: Lease): readonly Done[] {
  if (state === undefined) return [];
  const { [KEY]: list, ...others } = Object(state) as Readonly<Record<string, unknown>>;
  if (Array.isArray(list) && list.every(isDone) && Object.keys(others).length === 0) return list;
  const cure = 'once keeps its slots there: give it a name of its own, or remove that state';
  throw badRequest('name', `the state of "${name}" is ${inWords(state)} that is not of once's making; ${cure}`);
}

function isDone(given: unknown): given is Done {
  const { slot, by, at, fencingToken } = Object(given) as Partial<Record<keyof Done, unknown>>;
  const texts = [slot, by, at].every((one) => typeof one === 'string');
  return texts && typeof fencingToken === 'number';
}
