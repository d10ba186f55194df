/**
 * Compares two texts as their UTF-8 bytes would compare. JavaScript's own `<` compares UTF-16 units, which puts
 * everything beyond the basic plane (its surrogates are 0xD800-0xDFFF) before U+E000-U+FFFF; in UTF-8 it comes after.
 */
export function compareBytes(a: string, b: string): number {
  const common = Math.min(a.length, b.length);
  for (let index = 0; index < common; index += 1) {
    const [unitOfA, unitOfB] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (unitOfA !== unitOfB) return rank(unitOfA) - rank(unitOfB);
  }
  return a.length - b.length;
}

const SURROGATES_FROM = 0xd800;
const SURROGATES_UNTIL = 0xe000;
const UNITS = 0x10000;

const rank = (unit: number): number => (unit >= SURROGATES_FROM && unit < SURROGATES_UNTIL ? unit + UNITS : unit);
