import type { Bench } from '../../support/bench.ts';
import type { CoordinatorProcess } from '../../support/coordinator-process.ts';
import type { Messages } from '../../support/log.ts';
import { textOf } from '../../support/program/in-words.ts';
import { RawClient } from '../../support/raw-client.ts';

const TTL_MS = 3_000;
type Message = Messages[number];

/** One that holds `n1`, one that holds `n10`, both with one label; each says whatever it likes. */
interface Party {
  readonly raw: RawClient;
  readonly name: string;
  readonly token: number;
}

export async function othersTokens(bench: Bench, { url }: CoordinatorProcess): Promise<void> {
  const short = await party(url, 'n1');
  const long = await party(url, 'n10');
  for (const [own, other] of [
    [short, long],
    [long, short],
  ] as const) {
    // Whatever of name and token is the other's.
    const pairs = [
      { name: other.name, fencingToken: other.token },
      { name: own.name, fencingToken: other.token },
      { name: other.name, fencingToken: own.token },
    ];
    const said = [];
    for (const pair of pairs) said.push(await tried(own.raw, pair));
    const succeeded = said.flat().filter(({ changed }) => changed);
    bench.measure(
      `who holds ${own.name} renews, writes and releases with the name or token of ${other.name}`,
      said
        .flat()
        .map(({ what, answer }) => `${what} ${answer}`)
        .join(', '),
      'nothing changes',
      succeeded.length === 0,
    );
  }
  const left = [await renewal(short), await renewal(long)];
  bench.measure(
    'n1 and n10 behind that',
    left.map(({ answer }) => answer).join(' and '),
    'both are renewed by their own holders',
    left.every(({ changed }) => changed),
  );
  short.raw.send({ type: 'release', request: 'own', name: short.name, fencingToken: short.token });
  const released = await short.raw.take('released');
  const kept = await renewal(long);
  bench.measure(
    'n10 behind the release of n1',
    `n1 ${released['released'] === true ? 'released' : 'kept'}, n10 ${kept.answer}`,
    'n1 released, n10 renewed',
    released['released'] === true && kept.changed,
  );
  long.raw.send({ type: 'release', request: 'own', name: long.name, fencingToken: long.token });
  await long.raw.take('released');
  for (const { raw } of [short, long]) {
    raw.send({ type: 'bye', keepMs: 0 });
    raw.close();
  }
}

async function party(url: string, name: string): Promise<Party> {
  const { client: raw } = await RawClient.welcome(url, { label: 'worker', instance: `of-${name}` });
  raw.send({ type: 'acquire', request: 'claim', name, ttlMs: TTL_MS });
  return { raw, name, token: Number((await raw.take('granted'))['fencingToken']) };
}

interface Said {
  readonly what: string;
  readonly answer: string;
  readonly changed: boolean;
}

async function tried(raw: RawClient, pair: { readonly name: string; readonly fencingToken: number }): Promise<Said[]> {
  raw.send({ type: 'setState', request: `write ${pair.name} ${pair.fencingToken}`, ...pair, value: 'mine' });
  const written = await Promise.race([raw.take('stateSet'), raw.take('error')]);
  raw.send({ type: 'release', request: `release ${pair.name} ${pair.fencingToken}`, ...pair });
  const released = await raw.take('released');
  return [
    said('renew', await renew(raw, pair), ({ leftMs }) => leftMs !== undefined),
    said('setState', written, ({ type }) => type === 'stateSet'),
    said('release', released, (message) => message['released'] === true),
  ];
}

async function renew(raw: RawClient, pair: { readonly name: string; readonly fencingToken: number }): Promise<Message> {
  raw.send({ type: 'renew', request: `renew ${pair.name} ${pair.fencingToken}`, leases: [pair] });
  const { leases } = await raw.take('renewed');
  return (leases as Messages)[0] ?? {}; // `renewed` answers each lease that was named.
}

const renewal = async ({ raw, name, token }: Party): Promise<Said> =>
  said(name, await renew(raw, { name, fencingToken: token }), ({ leftMs }) => leftMs !== undefined);

const said = (what: string, message: Message, changes: (message: Message) => boolean): Said => ({
  what,
  answer: changes(message) ? 'done' : textOf(message['code'] ?? 'refused'),
  changed: changes(message),
});
