import type { Bench } from '../../support/bench.ts';
import { msBetween, now } from '../../support/log.ts';
import type { Owner } from './owner.ts';

const TIMES = 5;
const RESUMED_MS_MAX = 250;

export async function fiveInARow(bench: Bench, owner: Owner): Promise<void> {
  const resumptions: Resumption[] = [];
  for (let time = 0; time < TIMES; time += 1) resumptions.push(await resumption(owner));
  const [first, fifth] = [resumptions[0], resumptions.at(-1)];
  bench.measure(
    'the fifth resume in a row',
    fifth === undefined ? 'none' : `${fifth.answer} in ${fifth.tookMs.toFixed(1)} ms`,
    `like the first, within ${RESUMED_MS_MAX} ms: ${first?.answer}`,
    first !== undefined &&
      first.answer.startsWith('resumed, no secret, the lease') &&
      resumptions.every(({ answer, tookMs }) => answer === first.answer && tookMs <= RESUMED_MS_MAX),
  );
}

interface Resumption {
  readonly answer: string;
  readonly tookMs: number;
}

async function resumption(owner: Owner): Promise<Resumption> {
  owner.live.cut();
  const socket = await owner.open();
  const at = now();
  owner.hello(socket, owner.nextRound());
  const { session, secret, resumed, held, note } = await socket.take('welcome');
  owner.live = socket;
  const { leases } = await owner.renewed();
  const tookMs = msBetween(at, now());
  const said = [
    resumed === true && session === owner.session ? 'resumed' : `a session of its own (${JSON.stringify(note)})`,
    secret === undefined ? 'no secret' : 'a secret',
    owner.lists(held) ? 'the lease' : 'no lease',
    owner.lists(leases) ? 'renewed' : 'not renewed',
  ];
  return { answer: said.join(', '), tookMs };
}
