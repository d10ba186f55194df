/** An element of the page, which is written by hand: one that is missing is a mistake. */
export function find(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element "${id}"`);
  return found;
}
