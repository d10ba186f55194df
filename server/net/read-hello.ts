import type { Code } from '../../shared/codes.ts';
import type { ClientMessageOf } from '../../shared/frames.ts';
import { PROTOCOL_VERSION } from '../../shared/limits.ts';
import { inWords } from '../../shared/options.ts';
import { fieldOf } from './read-frame.ts';
import { checkClientMessage } from './schema.ts';

export type ReadHello =
  | { readonly ok: true; readonly hello: ClientMessageOf<'hello'> }
  | { readonly ok: false; readonly code: Code; readonly text: string; readonly param: string };

/**
 * The first message of a socket. Its versions are looked at first: a `hello` of another version may have other
 * fields, and its client is to learn that the version is what is wrong (F21).
 */
export function readHello(first: unknown): ReadHello {
  if (fieldOf(first, 'type') !== 'hello') {
    return {
      ok: false,
      code: 'bad-request',
      param: 'type',
      text: `The first message of a socket is "hello"; given is ${inWords(fieldOf(first, 'type'))}.`,
    };
  }
  const least = fieldOf(first, 'protocolMin');
  const most = fieldOf(first, 'protocolMax');
  if (!isVersion(least) || !isVersion(most) || least > PROTOCOL_VERSION || most < PROTOCOL_VERSION) {
    return {
      ok: false,
      code: 'version',
      param: 'protocolMin',
      text: `The client speaks the protocol versions ${inWords(least)} to ${inWords(most)}; this coordinator speaks ${PROTOCOL_VERSION} to ${PROTOCOL_VERSION}. Upgrade the older of the two.`,
    };
  }
  const checked = checkClientMessage(first);
  if (!checked.ok) return checked;
  if (checked.message.type === 'hello') return { ok: true, hello: checked.message };
  throw new Error('a message with the type hello was checked as another one');
}

const isVersion = (value: unknown): value is number => Number.isSafeInteger(value);
