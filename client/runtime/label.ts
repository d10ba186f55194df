import { LABEL_BYTES_MAX } from '../../shared/limits.ts';
import { cutToBytes } from '../../shared/utf8.ts';
import { processHere, type ProcessHere } from './platform.ts';

/** What tells clients apart where nobody named them. Never throws; the runtime may refuse any part of it. */
export function defaultLabel(): string {
  const process = processHere();
  if (process !== undefined) return cutToBytes(ofProcess(process), LABEL_BYTES_MAX);
  const letters = orNothing(randomLetters);
  // A page's address, or that of a worker's script; elsewhere there is none.
  const path = orNothing(() => globalThis.location.pathname);
  return `${cutToBytes(path, LABEL_BYTES_MAX - letters.length - 1)} ${letters}`.trim();
}

function ofProcess(process: ProcessHere): string {
  const host = orNothing(() =>
    mayRead('sys', 'hostname') ? (process.getBuiltinModule?.('os')?.hostname() ?? process.env?.['HOSTNAME']) : '',
  );
  const script = orNothing(() => (mayRead('read') ? process.argv?.[1]?.replace(/^.*[\\/]/, '') : ''));
  const pid = orNothing(() => process.pid?.toString());
  return `${host || 'pid'}:${pid} ${script}`.trim();
}

/** Deno would stop and ask at the terminal. */
function mayRead(name: string, kind?: string): boolean {
  const { Deno } = globalThis as {
    readonly Deno?: { readonly permissions: { querySync(of: object): { readonly state: string } } };
  };
  return Deno === undefined || Deno.permissions.querySync({ name, kind }).state === 'granted';
}

/** Names are told apart by them, nothing is guarded. */
const randomLetters = (): string =>
  [...crypto.getRandomValues(new Uint8Array(4))].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');

function orNothing(read: () => string | undefined): string {
  try {
    return read() ?? '';
  } catch {
    // Not allowed, or not there: the label has one part less.
    return '';
  }
}
