import { LABEL_BYTES_MAX } from '../../shared/limits.ts';
import { nameProblem } from '../../shared/names.ts';
import { inWords, unknownKeyProblem, type OptionProblem } from '../../shared/options.ts';
import { utf8Bytes } from '../../shared/utf8.ts';
import type { RevokeOptions } from './coordinator-types.ts';

/** Total, so that a new option cannot be forgotten here. */
const KNOWN: Readonly<Record<keyof RevokeOptions, (value: unknown) => string | null>> = {
  now: (value) => (typeof value === 'boolean' ? null : `now is ${inWords(value)}; it is true or false`),
  fencingToken: (value) =>
    Number.isSafeInteger(value) && Number(value) >= 1
      ? null
      : `fencingToken is ${inWords(value)}; it is a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
  // It stands in a line of the log.
  by: (value) =>
    typeof value === 'string' && utf8Bytes(value) <= LABEL_BYTES_MAX && !/[\p{Cc}\p{Cs}]/u.test(value)
      ? null
      : `by is ${inWords(value)}; it is a text of at most ${LABEL_BYTES_MAX} bytes without control characters`,
};

/** What is wrong with what an operator asked for: who means one lease must not end another. */
export function revokeProblem(name: unknown, options: unknown): OptionProblem | null {
  const ofName = typeof name === 'string' ? nameProblem(name) : `a name is a text, not ${inWords(name)}`;
  if (ofName !== null) return { param: 'name', problem: ofName };
  if (typeof options !== 'object' || options === null)
    return { param: 'options', problem: `options is ${inWords(options)}; it must be an object` };
  const unknown = unknownKeyProblem(options, Object.keys(KNOWN));
  if (unknown !== null) return unknown;
  for (const [param, problemOf] of Object.entries(KNOWN)) {
    const value: unknown = Reflect.get(options, param);
    const problem = value === undefined ? null : problemOf(value);
    if (problem !== null) return { param, problem };
  }
  return null;
}
