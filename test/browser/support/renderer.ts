import { readdirSync, readFileSync } from 'node:fs';

const GROWS_KB = 64 * 1024;
const TRIES = 5;

/**
 * The process id of the renderer that a page runs in, among the processes that the browser `root` has started. No
 * interface names it, so the page is made to use memory for a moment, and the renderer is the one that grew by so much.
 */
export async function rendererOf(root: number, evaluate: (expression: string) => Promise<void>): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = sizesUnder(root);
    await evaluate(`void (globalThis.ballast = new Uint8Array(${GROWS_KB * 1024}).fill(1))`);
    const growth = [...sizesUnder(root)].map(([pid, kb]) => ({ pid, kb: kb - (before.get(pid) ?? kb) }));
    await evaluate('void delete globalThis.ballast');
    const [most, ...others] = growth.toSorted((a, b) => b.kb - a.kb);
    if (most !== undefined && most.kb > 0.9 * GROWS_KB && (others[0]?.kb ?? 0) < GROWS_KB / 2) return most.pid;
  }
  throw new Error(`no renderer grows alone in ${TRIES} tries`);
}

/** Memory of its own, in KB, of each process that `root` or one of its children has started. */
function sizesUnder(root: number): ReadonlyMap<number, number> {
  const parentOf = new Map<number, number>();
  const sizes = new Map<number, number>();
  for (const folder of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const status = statusOf(folder);
    parentOf.set(Number(folder), Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]));
    sizes.set(Number(folder), Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0));
  }
  const isUnder = (pid: number): boolean => {
    const parent = parentOf.get(pid);
    return parent !== undefined && (parent === root || isUnder(parent));
  };
  return new Map([...sizes].filter(([pid]) => isUnder(pid)));
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}
