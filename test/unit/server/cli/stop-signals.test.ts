import { expect, test } from 'vitest';
import type { Io } from '../../../../server/cli/io.ts';
import { stopSignals } from '../../../../server/cli/stop-signals.ts';

const SIGINT = 2;
const SIGTERM = 15;

/** What was told, in order, behind these signals. */
async function toldOf(signals: readonly { readonly signal: number; readonly at: number }[]): Promise<string[]> {
  const told: string[] = [];
  let now = 0;
  let hear: (signal: number) => void = () => undefined;
  const io: Io = {
    env: {},
    out: () => undefined,
    err: () => undefined,
    onSignal: (listener) => (hear = listener),
    exit: (code) => told.push(`exit ${code}`),
  };
  const { first, second } = stopSignals(io, () => now);
  void first.then((signal) => told.push(`first ${signal}`));
  void second.then((signal) => told.push(`second ${signal}`));
  for (const { signal, at } of signals) {
    now = at;
    hear(signal);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return told;
}

test('F61 a signal begins the drain, a second one ends it, a third one ends the process', async () => {
  const told = await toldOf([
    { signal: SIGTERM, at: 0 },
    { signal: SIGTERM, at: 500 },
    { signal: SIGTERM, at: 501 },
  ]);
  expect(told).toEqual(['first 15', 'second 15', 'exit 143']);
});

test('F61 copies of a signal that a group gets are one signal', async () => {
  const told = await toldOf([
    { signal: SIGINT, at: 0 },
    { signal: SIGINT, at: 1 },
    { signal: SIGINT, at: 499 },
  ]);
  expect(told).toEqual(['first 2']);
});

test('F61 another signal is no copy, however soon it comes', async () => {
  const told = await toldOf([
    { signal: SIGTERM, at: 0 },
    { signal: SIGINT, at: 0 },
  ]);
  expect(told).toEqual(['first 15', 'second 2']);
});
