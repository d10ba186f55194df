import { msBetween } from '../support/log.ts';
import type { FieldCase } from '../support/field-case.ts';
import { sleep } from '../support/waiting.ts';

const TTL_MS = 3_000;

export const F04: FieldCase = {
  id: 'F04',
  title: 'S7 a lease whose holder died is free at the first try after its window, without anybody having waited for it',
  async run(bench, size) {
    const idleWindows = size === 'full' ? 10 : 2;
    const coordinator = await bench.coordinator();
    const doomed = bench.process();
    const first = await doomed.client('A', coordinator.url).acquire('a', 'job', { ttlMs: TTL_MS });
    doomed.kill();
    await sleep(idleWindows * TTL_MS);

    const second = bench.process().client('B', coordinator.url);
    await second.ready();
    const tried = await second.tryAcquire('b', 'job', { ttlMs: TTL_MS });
    const called = await bench.log.find('called', (entry) => entry.call === tried.call, 1_000, 'the try is in the log');
    const tookMs = msBetween(called.at, tried.at);
    bench.measure(
      `try with no wait, ${idleWindows} windows after kill -9`,
      `granted in ${tookMs.toFixed(1)} ms`,
      'granted in at most 100 ms',
      granted(tried) && tookMs <= 100,
    );
    const tokens = [first, tried].map((settled) => (settled.ok ? Number(settled.value) : Number.NaN));
    bench.measure(
      'token of the second grant',
      tokens.join(' -> '),
      'higher than the first',
      Number(tokens[1]) > Number(tokens[0]),
    );
  },
};

const granted = (settled: { readonly ok: boolean; readonly value?: unknown }): boolean =>
  settled.ok && typeof settled.value === 'number';
