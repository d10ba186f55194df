import type { Bench } from '../../support/bench.ts';
import type { CoordinatorProcess } from '../../support/coordinator-process.ts';
import { textOf } from '../../support/program/in-words.ts';
import { RawClient } from '../../support/raw-client.ts';
import { within } from '../../support/waiting.ts';
import type { Versions } from './interpreter.ts';

const UPGRADE_CLOSE_CODE = 4426;

/** As the case names them; a range that lies above or below, and a text that looks like a version. */
export const OTHER_VERSIONS: readonly (readonly [of: string, Versions])[] = [
  ['version 0', { protocolMin: 0, protocolMax: 0 }],
  ['version 999', { protocolMin: 999, protocolMax: 999 }],
  ['no version', {}],
  ['a text', { protocolMin: '1', protocolMax: '1' }],
];

export async function hellosOfOtherVersions(bench: Bench, { url }: CoordinatorProcess): Promise<void> {
  for (const [of, versions] of OTHER_VERSIONS) {
    const raw = await RawClient.open(url);
    raw.send({ type: 'hello', instance: `of ${of}`, dial: 1, ...versions });
    const error = await raw.take('error');
    const closed = await within(raw.closed, 5_000, 'the socket is closed');
    const message = textOf(error['message']);
    bench.measure(
      `hello with ${of}`,
      `${textOf(error['code'])}, closed with ${closed.code}: ${message}`,
      `version, ${UPGRADE_CLOSE_CODE}, and the range that is spoken`,
      error['code'] === 'version' &&
        error['retryable'] === false &&
        closed.code === UPGRADE_CLOSE_CODE &&
        closed.reason.startsWith('version') &&
        message.includes('this coordinator speaks 1 to 1'),
    );
  }
}

/** A client of this version that knows more fields and more messages. */
export async function strangeWords(bench: Bench, { url }: CoordinatorProcess): Promise<void> {
  const extra = { colour: 'blue', nested: { deep: [1, { deeper: null }] } };
  const { client: raw, welcome } = await RawClient.welcome(url, extra);
  raw.send({ type: 'acquire', request: 'claim', name: 'strange', ttlMs: 3_000, ...extra });
  const granted = await raw.take('granted');
  const token = Number(granted['fencingToken']);
  bench.measure(
    'hello and acquire with fields that nobody knows',
    `welcome in version ${textOf(welcome['protocol'])}, token ${token}`,
    'as without them',
    welcome['protocol'] === 1 && token > 0,
  );
  // The frame number stands in the message that is not understood: the one behind it counts all the same.
  const renew = { type: 'renew', request: 'renewal', leases: [{ name: 'strange', fencingToken: token }] };
  raw.sendText(JSON.stringify([{ type: 'teleport', frame: 3, request: 'r-42', to: 'Mars' }, renew]));
  const [error, renewed] = await Promise.all([raw.take('error'), raw.take('renewed')]);
  bench.measure(
    'a message of a type that nobody knows',
    `error ${textOf(error['code'])} to ${textOf(error['request'])}; the message behind it was ${renewed['leases'] === undefined ? 'lost' : 'answered'}`,
    'an error that carries r-42; the rest counts',
    error['code'] === 'unknown-type' && error['request'] === 'r-42' && renewed['request'] === 'renewal',
  );
  raw.countFrom(4);
  raw.send({ type: 'release', request: 'give-back', name: 'strange', fencingToken: token });
  const released = await raw.take('released');
  bench.measure(
    'the connection behind that',
    released['released'] === true ? 'goes on' : JSON.stringify(released),
    'goes on',
    released['released'] === true,
  );
  raw.send({ type: 'bye', keepMs: 0 });
  raw.close();
}
