import { randomBytes } from 'node:crypto';
import { inShort, isList, isNumber, isRecord, isText, typeOf, type Json, type Message, textOf } from './json.ts';
import { bind, filled, mismatch, type Bindings } from './match.ts';
import { Line, Peer, type Heard } from './peer.ts';
import type { Script, Step } from './script.ts';

export const SUBPROTOCOL = 'leasehold.v1';
export const SOCKET_PATH = '/v1/socket';
const WITHIN_MS = 5_000;

export interface Outcome {
  readonly name: string;
  readonly rule: string;
  readonly proves: readonly string[];
  /** Null when the rule is kept; otherwise what was seen instead. */
  readonly problem: string | null;
  readonly tookMs: number;
}

/** Plays one script at a coordinator. Nothing is thrown: what goes wrong is the outcome. */
export async function play(url: string, script: Script): Promise<Outcome> {
  const startMs = performance.now();
  const stage = new Stage(url);
  let problem: string | null = null;
  for (const step of script.steps) {
    try {
      await stage.take(step);
    } catch (error) {
      problem = `${script.file}:${step.line} ${error instanceof Error ? error.message : String(error)}`;
      break;
    }
  }
  problem ??= stage.broken();
  await stage.leave();
  const { file, line, rule, proves } = script;
  return { name: `${file}:${line}`, rule, proves, problem, tookMs: performance.now() - startMs };
}

/** The clients and sockets of one script. */
class Stage {
  readonly #url: string;
  /** Names of its own, so that it can be played where others are at work. */
  readonly #run = randomBytes(6).toString('hex');
  readonly #bindings: Bindings = new Map<string, Json>([['run', `conformance/${this.#run}`]]);
  readonly #peers = new Map<string, Peer>();
  readonly #lines = new Map<string, Line>();
  readonly #instants = new Map<string, number>();

  constructor(url: string) {
    this.#url = url;
  }

  async take({ does, fields }: Step): Promise<unknown> {
    const on = textOf(fields['on']);
    if (does === 'dial') return this.#dial(on, fields);
    if (does === 'hello') return this.#hello(on, fields);
    if (does === 'wait') return pause(numberIn(fields, 'forMs'));
    const line = this.#lines.get(on);
    if (line === undefined) throw new Error(`no socket is called ${on}`);
    switch (does) {
      case 'send':
        return this.#send(on, fields);
      case 'text':
        return line.raw(textOf(filled(fields['text'] ?? '', this.#bindings)));
      case 'binary':
        return line.raw(Buffer.from(textOf(fields['hex']), 'hex'));
      case 'expect':
        return this.#expect(on, fields);
      case 'nothing':
        return this.#nothing(line, fields);
      case 'closed':
        return this.#closed(line, fields);
      case 'close':
        return line.close();
      default:
        return line.cut();
    }
  }

  broken(): string | null {
    for (const [on, line] of this.#lines) if (line.broken !== null) return `${on} was sent ${line.broken}`;
    return null;
  }

  /** Gives back what it holds, so that nothing of it is left at a coordinator in use. */
  async leave(): Promise<void> {
    const left = new Set<Peer>();
    for (const line of [...this.#lines.values()].toReversed()) {
      if (line.isOpen && line.isWelcome && !left.has(line.peer)) {
        left.add(line.peer);
        const releases = [...line.peer.granted].map(([fencingToken, { name }], index) => ({
          type: 'release',
          request: `leave-${index}`,
          name,
          fencingToken,
        }));
        line.send([...releases, { type: 'bye', keepMs: 0 }], false);
      }
      line.close();
    }
    const gone = [...this.#lines.values()].map((line) => line.until(() => line.closing, 1_000));
    await Promise.all(gone);
    for (const line of this.#lines.values()) line.cut();
  }

  async #dial(on: string, fields: Message): Promise<void> {
    const [client = on] = on.split('.');
    const peer = this.#peers.get(client) ?? new Peer(`conformance-${this.#run}-${client}`);
    this.#peers.set(client, peer);
    peer.dial += 1;
    const path = isText(fields['path']) ? fields['path'] : SOCKET_PATH;
    const subprotocol = isText(fields['subprotocol']) ? fields['subprotocol'] : SUBPROTOCOL;
    const { over, channel } = fields;
    const wire = isText(over) ? this.#line(over).channel(isNumber(channel) ? channel : undefined) : undefined;
    const line = new Line(peer, { url: `${this.#url}${path}`, subprotocol, pong: fields['pong'] !== false, wire });
    this.#lines.set(on, line);
    this.#bindings.set(`${client}.instance`, peer.instance);
    this.#bindings.set(`${client}.dial`, peer.dial);
    await line.opened(WITHIN_MS);
  }

  async #hello(on: string, fields: Message): Promise<void> {
    await this.#dial(on, fields);
    const [client = on] = on.split('.');
    const more = isRecord(fields['fields']) ? fields['fields'] : {};
    const hello = {
      type: 'hello',
      protocolMin: 1,
      protocolMax: 1,
      instance: `\${${client}.instance}`,
      dial: `\${${client}.dial}`,
    };
    await this.#send(on, { message: { ...hello, ...more }, as: `${on}.hello` });
    const wanted = isRecord(fields['welcome']) ? fields['welcome'] : {};
    const welcome = await this.#expect(on, {
      message: {
        type: 'welcome',
        frame: `\${${on}.hello}`,
        session: { $is: 'id', $bind: `${client}.session` },
        ...wanted,
      },
    });
    const secret = welcome['secret'];
    if (secret !== undefined) this.#bindings.set(`${client}.secret`, secret);
  }

  async #send(on: string, fields: Message): Promise<void> {
    const { message, messages, as } = fields;
    const list = messages === undefined ? [message ?? {}] : filled(messages, this.#bindings);
    const made = (isList(list) ? list : []).map((one) => filled(one, this.#bindings)).filter(isRecord);
    const line = this.#line(on);
    if (!line.isOpen) throw new Error(`${on} is closed, with ${inShort({ ...line.closing })}: ${overheard(line)}`);
    const atMs = performance.now();
    const number = line.send(made, messages === undefined);
    this.#bindings.set(`${on}.frame`, number);
    if (isText(as)) {
      this.#bindings.set(as, number);
      this.#instants.set(as, atMs);
    }
  }

  async #expect(on: string, fields: Message): Promise<Message> {
    const line = this.#line(on);
    const pattern = filled(fields['message'] ?? {}, this.#bindings);
    const withinMs = isNumber(fields['withinMs']) ? fields['withinMs'] : WITHIN_MS;
    const found = await line.until(
      () => meant(line, pattern, fields['next'] === true) ?? (line.closing && 'closed'),
      withinMs,
    );
    const asked = `expected ${inShort(pattern)}`;
    if (found === null) throw new Error(`${asked} within ${withinMs} ms; heard ${overheard(line)}`);
    if (found === 'closed')
      throw new Error(
        `${asked}, and the socket was closed with ${inShort({ ...line.closing })}; heard ${overheard(line)}`,
      );
    const problem = mismatch(pattern, found.message) ?? this.#late(found.atMs, fields);
    if (problem !== null) throw new Error(`${asked}, and heard ${inShort(found.message)}: ${problem}`);
    found.taken = true;
    bind(pattern, found.message, this.#bindings);
    return found.message;
  }

  /** Whether it came when the script has it, counted from a send. */
  #late(atMs: number, fields: Message): string | null {
    const { since, between } = fields;
    if (!isText(since) || !isList(between)) return null;
    const from = this.#instants.get(since);
    if (from === undefined) throw new Error(`nothing was sent as ${since}`);
    return mismatch(
      { $between: filled(between, this.#bindings) },
      Math.round(atMs - from),
      `the time in ms since ${since}`,
    );
  }

  async #nothing(line: Line, fields: Message): Promise<void> {
    const pattern = filled(fields['message'] ?? {}, this.#bindings);
    const unwanted = (): Heard | null =>
      line.heard.find(
        ({ taken, message }) => !taken && message['type'] !== 'ping' && mismatch(pattern, message) === null,
      ) ?? null;
    const found = await line.until(unwanted, numberIn(fields, 'forMs'));
    if (found !== null)
      throw new Error(`expected nothing like ${inShort(pattern)}, and heard ${inShort(found.message)}`);
  }

  async #closed(line: Line, fields: Message): Promise<void> {
    const withinMs = isNumber(fields['withinMs']) ? fields['withinMs'] : WITHIN_MS;
    const closing = await line.until(() => line.closing, withinMs);
    if (closing === null) throw new Error(`expected a close within ${withinMs} ms; heard ${overheard(line)}`);
    const problem =
      mismatch(fields['code'] ?? { $is: 'number' }, closing.code, 'the close code') ?? this.#late(closing.atMs, fields);
    if (problem !== null) throw new Error(`${problem} (reason ${inShort(closing.reason)})`);
  }

  #line(on: string): Line {
    const line = this.#lines.get(on);
    if (line === undefined) throw new Error(`no socket is called ${on}`);
    return line;
  }
}

/**
 * The message that has to be as the pattern says: the first one not yet taken of its type, about its request and its
 * name; a refusal of the same request counts too, so that nobody waits for what will not come.
 */
function meant(line: Line, pattern: Json, next: boolean): Heard | null {
  if (!isRecord(pattern)) return null;
  const { type, request, name } = pattern;
  const left = line.heard.filter(({ taken, message }) => !taken && (message['type'] !== 'ping' || type === 'ping'));
  if (next) return left[0] ?? null;
  const isAbout = (message: Message): boolean =>
    (!isText(request) || message['request'] === request) && (!isText(name) || (message['name'] ?? name) === name);
  const isRefusal = (message: Message): boolean =>
    message['type'] === 'error' && (message['request'] === undefined || message['request'] === request);
  return (
    left.find(
      ({ message }) => (message['type'] === type && isAbout(message)) || (type !== 'error' && isRefusal(message)),
    ) ?? null
  );
}

const overheard = (line: Line): string => {
  const left = line.heard
    .filter(({ taken, message }) => !taken && typeOf(message) !== 'ping')
    .map(({ message }) => message);
  return left.length === 0 ? 'nothing' : inShort(left);
};

function numberIn(fields: Message, key: string): number {
  const value = fields[key];
  if (!isNumber(value)) throw new Error(`${key} is no number`);
  return value;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
