import { LIST_MAX, NAME_BYTES_MAX } from '../../shared/limits.ts';
import { inWords, unknownKeyProblem, type OptionProblem } from '../../shared/options.ts';
import { utf8Bytes } from '../../shared/utf8.ts';

/** The part of `text` behind the percent-encoding, or null where it is not well-formed UTF-8 in that. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export type Query<Key extends string> =
  | { readonly ok: true; readonly query: { readonly [K in Key]?: string } }
  | { readonly ok: false; readonly problem: OptionProblem };

/** The parameters of a URL, each known and at most once. `URLSearchParams` would take broken bytes for others. */
export function readQuery<Key extends string>(search: string, known: readonly Key[]): Query<Key> {
  const query: { [K in Key]?: string } = {};
  for (const part of search.replace(/^\?/, '').split('&')) {
    if (part === '') continue;
    const [before = '', ...behind] = part.replaceAll('+', ' ').split('=');
    const [key, value] = [decoded(before), decoded(behind.join('='))];
    if (key === null || value === null) {
      const problem = `the query has ${inWords(part)}, which is not UTF-8 in percent-encoding`;
      return { ok: false, problem: { param: key ?? '', problem } };
    }
    const own = known.find((one) => one === key);
    if (own === undefined) {
      const unknown = unknownKeyProblem({ [key]: value }, known, 'query parameter');
      return { ok: false, problem: unknown ?? { param: key, problem: `no such query parameter ${inWords(key)}` } };
    }
    if (query[own] !== undefined)
      return { ok: false, problem: { param: own, problem: `${own} is given more than once` } };
    query[own] = value;
  }
  return { ok: true, query };
}

export function textProblem(param: string, text: string): OptionProblem | null {
  const bytes = utf8Bytes(text);
  return bytes <= NAME_BYTES_MAX
    ? null
    : { param, problem: `${param} has ${bytes} bytes; allowed are at most ${NAME_BYTES_MAX}` };
}

export const limitProblem = (text: string): OptionProblem | null =>
  /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= LIST_MAX
    ? null
    : { param: 'limit', problem: `limit is ${inWords(text)}; allowed is a whole number from 1 to ${LIST_MAX}` };
