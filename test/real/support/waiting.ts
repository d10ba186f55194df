/** Waits for events with a limit; sleeping is for tests in which real time is the point. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: not within ${ms} ms`)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Asks again every 10 ms; for what can only be asked, such as the counts of `/readyz`. */
export async function eventually<T>(ask: () => Promise<T | null> | T | null, ms: number, what: string): Promise<T> {
  const until = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > until) throw new Error(`${what}: not within ${ms} ms`);
    await sleep(10);
  }
}
