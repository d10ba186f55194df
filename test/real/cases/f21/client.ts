import type { Bench } from '../../support/bench.ts';
import type { Settled } from '../../support/client-process.ts';
import { entriesOf } from '../../support/log.ts';
import { sleep } from '../../support/waiting.ts';
import type { Interpreter } from './interpreter.ts';
import { OTHER_VERSIONS } from './raw.ts';

/** The status is final, the code says that one of the two is to be upgraded. */
const UPGRADE_NEEDED = 'refused (version)';

type MakeInterpreter = () => Promise<Interpreter>;

/** The library itself, as a coordinator of another version meets it. */
export async function clientsOfOtherVersions(bench: Bench, make: MakeInterpreter, observeMs: number): Promise<void> {
  const program = bench.process();
  await Promise.all(
    OTHER_VERSIONS.map(async ([of, versions]) => {
      const interpreter = await make();
      interpreter.versions = versions;
      const client = program.client(`client of ${of}`, interpreter.url);
      const waiting = client.acquire('waits', `wanted by ${of}`);
      const ready = await client.ready();
      await sleep(observeMs);
      // Whoever asks again later hears the same at once, and nobody dials for it.
      const [waited, later] = [await waiting, await client.acquire('later', `wanted by ${of}`)];
      const told = [ready, waited, later].map(codeOf);
      bench.measure(
        `a client of ${of}, ${observeMs / 1_000} s long`,
        `${statusOf(bench, client.label)}, ${interpreter.dials} dial(s), told ${told.join(', ')}`,
        `${UPGRADE_NEEDED}, 1 dial, told what range is spoken`,
        statusOf(bench, client.label) === UPGRADE_NEEDED &&
          interpreter.dials === 1 &&
          told.every((code) => code === 'refused') &&
          textOf(ready).includes('this coordinator speaks 1 to 1'),
      );
    }),
  );
}

/** It was connected and held something, then the coordinator behind that address speaks another version. */
export async function oldTabAfterDeploy(bench: Bench, make: MakeInterpreter, observeMs: number): Promise<void> {
  const interpreter = await make();
  const client = bench.process().client('old tab', interpreter.url);
  await client.acquire('a', 'held over the deploy', { ttlMs: 3_000 });
  interpreter.versions = { protocolMin: 999, protocolMax: 999 };
  interpreter.cut();
  const lost = await bench.log.find('lost', (entry) => entry.client === client.label, 5_000, 'its lease is lost');
  await sleep(observeMs);
  // It has no socket to say good-bye on: its session ends by silence.
  bench.ghosts += 1;
  bench.measure(
    `a client that was connected before the upgrade, ${observeMs / 1_000} s long`,
    `${statusOf(bench, client.label)}, ${interpreter.dials - 1} further dial(s), its lease lost with ${lost.code}`,
    `${UPGRADE_NEEDED}, 1 further dial`,
    statusOf(bench, client.label) === UPGRADE_NEEDED && interpreter.dials === 2,
  );
}

function statusOf(bench: Bench, label: string): string {
  const last = entriesOf(bench.log.entries, 'status', label).at(-1);
  return `${last?.status ?? 'idle'} (${last?.code ?? 'no code'})`;
}

const codeOf = (settled: Settled): string => (settled.ok ? 'success' : settled.code);
const textOf = (settled: Settled): string => (settled.ok ? '' : settled.message);
