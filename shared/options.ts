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
      problem: `no such ${what} ${inWords(key)}${near === null ? '' : `; did you mean "${near}"?`}`,
    };
  }
  return null;
}

export function durationProblem(param: string, value: unknown, min: number, max: number): OptionProblem | null {
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return null;
  return { param, problem: `${param} is ${inWords(value)}; allowed are whole milliseconds from ${min} to ${max}` };
}

/** A value as it can be shown in a message: short, in one line of visible characters, and never an exception. */
export function inWords(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${value}n`;
  const text = typeof value === 'string' ? value : String(value);
  const short = text.length > 40 ? `${text.slice(0, 40)}...` : text;
  // JSON escapes the controls below U+0020; the others, and what turns the direction of a text, are left to this.
  return (typeof value === 'string' ? JSON.stringify(short) : short).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
  );
}

function nearest(key: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(key.length / 3)) + 1;
  for (const candidate of known) {
    const [a, b] = [key.toLowerCase(), candidate.toLowerCase()];
    const distance = a.length > 2 && b.startsWith(a) ? 1 : editDistance(a, b);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
