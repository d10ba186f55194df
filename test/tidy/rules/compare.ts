/** What stands in one list and not in the other, both ways, in words. Empty when they hold the same. */
export function differences(
  one: { readonly name: string; readonly items: Iterable<string> },
  other: { readonly name: string; readonly items: Iterable<string> },
): readonly string[] {
  const [inOne, inOther] = [new Set(one.items), new Set(other.items)];
  const missing = (from: ReadonlySet<string>, to: ReadonlySet<string>, text: string): string[] =>
    [...from].filter((item) => !to.has(item)).map((item) => `${item} ${text}`);
  return [
    ...missing(inOne, inOther, `is in ${one.name} and not in ${other.name}`),
    ...missing(inOther, inOne, `is in ${other.name} and not in ${one.name}`),
  ].toSorted();
}
