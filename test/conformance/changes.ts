/** Something that changes, and one who waits until it is as he wants it. */
export class Changes {
  #changed: () => void = () => undefined;

  tell(): void {
    this.#changed();
  }

  /** What `look` finds, at once or after a change; null when it has found nothing within the time. */
  async until<T>(look: () => T | null, withinMs: number): Promise<T | null> {
    const endMs = performance.now() + withinMs;
    for (;;) {
      const found = look();
      if (found !== null) return found;
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return null;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs + 1);
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
