/** Chance from a seed: the same seed, the same numbers, everywhere (sfc32). */
export interface Random {
  /** In [0, 1). */
  next(): number;
  between(from: number, to: number): number;
  whole(from: number, to: number): number;
  chance(part: number): boolean;
  pick<T>(of: readonly [T, ...T[]]): T;
  /** A source of its own, so that what one part draws does not move what another part gets. */
  fork(): Random;
}

export function randomFrom(seed: number): Random {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, seed >>> 0, (seed / 2 ** 32) >>> 0];
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // The first numbers of near seeds are near.
  for (let index = 0; index < 12; index += 1) next();
  const between = (from: number, to: number): number => from + (to - from) * next();
  const whole = (from: number, to: number): number => Math.floor(between(from, to + 1));
  return {
    next,
    between,
    whole,
    chance: (part) => next() < part,
    pick: (of) => of[whole(0, of.length - 1)] ?? of[0],
    fork: () => randomFrom(Math.floor(next() * 2 ** 52)),
  };
}
