/** Checks of options at the public edges: an unknown key is refused with the nearest known one, nothing is clamped. */
export interface OptionProblem {
  readonly param: string;
  readonly problem: string;
}

export function unknownKeyProblem(given: object, known: readonly string[], what = 'option'): OptionProblem | null {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const near = nearest(key, known);
    return {
      param: key,
      problem: `no such ${what} ${inWords(key)}${near && `; did you mean "${near}"?`}`,
    };
  }
  return null;
}

export function durationProblem(param: string, value: unknown, min: number, max: number): OptionProblem | null {
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return null;
  return { param, problem: `${param} is ${inWords(value)}; allowed are whole milliseconds from ${min} to ${max}` };
}

/** A value as it can be shown in a message: short, in one line, and never an exception. */
export function inWords(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${value}n`;
  const text =
    typeof value === 'string' ? JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value) : String(value);
  // JSON escapes the controls below U+0020, not the others, nor what turns the direction of a text.
  return text.replace(/[\p{Cc}\p{Cf}]/gu, encodeURIComponent);
}

function nearest(given: string, known: readonly string[]): string {
  const key = given.toLowerCase();
  // Few edits, so that few are tried; somebody who wrote only the beginning wrote no other key.
  const most = Math.min(4, Math.max(2, Math.floor(key.length / 3)));
  for (let edits = 0; edits <= most; edits += 1) {
    for (const candidate of known) {
      const other = candidate.toLowerCase();
      if (isWithin(key, other, edits) || (key.length > 2 && other.startsWith(key))) return candidate;
    }
  }
  return '';
}

/** Whether at most `edits` characters left out, put in or replaced make one of the other (Levenshtein). */
function isWithin(a: string, b: string, edits: number): boolean {
  if (a === b) return true;
  const [c, d] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return isWithin(c, d, edits);
  const left = edits - 1;
  return left >= 0 && (isWithin(c, b, left) || isWithin(a, d, left) || isWithin(c, d, left));
}
