/** What the machine keeps of a run that ends in the middle, unless it is undone: mounts, namespaces. Last made, first undone. */
const undone: (() => void)[] = [];

process.on('exit', () => {
  for (const undo of undone.splice(0).toReversed()) attempt(undo);
});

/** Undoes it when it is disposed of, and at the latest when this process ends. */
export function undoing(undo: () => void): Disposable {
  undone.push(undo);
  return {
    [Symbol.dispose]: () => {
      const at = undone.indexOf(undo);
      if (at < 0) return;
      undone.splice(at, 1);
      attempt(undo);
    },
  };
}

function attempt(undo: () => void): void {
  try {
    undo();
  } catch (error) {
    process.stderr.write(`not cleaned up: ${String(error)}\n`);
  }
}
