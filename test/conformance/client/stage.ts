import { randomBytes } from 'node:crypto';
import { inShort, isList, isNumber, isRecord, isText, textOf, type Json, type Message } from '../json.ts';
import { bind, filled, mismatch, type Bindings } from '../match.ts';
import type { Outcome } from '../play.ts';
import type { Step } from '../script.ts';
import { Command } from './command.ts';
import { ScriptedCoordinator } from './coordinator.ts';
import { History, type Seen } from './history.ts';
import { judge } from './judge.ts';
import type { Scenario } from './scenario.ts';

const WITHIN_MS = 5_000;
/** How fast a command starts is nothing of the protocol: steps count from its first socket. */
const STARTS_MS = 60_000;
const LINES = ['held', 'lost', 'released'];

/** Plays one scenario with a command of its own. Nothing is thrown: what goes wrong is the outcome. */
export async function playScenario(command: string, scenario: Scenario): Promise<Outcome> {
  const startMs = performance.now();
  const history = new History();
  const coordinator = await ScriptedCoordinator.open(history, scenario.twists);
  const name = `conformance/${randomBytes(4).toString('hex')}`;
  const env = { LEASEHOLD_URL: coordinator.url, LEASEHOLD_NAME: name, LEASEHOLD_TTL_MS: String(scenario.ttlMs) };
  const child = new Command(command, env, (line) => history.add({ kind: 'line', atMs: performance.now(), ...line }));
  const stage = new Stage(history, coordinator, child);
  void child.ended.then(() => history.look());
  const hasBegun = (): boolean => history.seen.some(({ kind }) => kind === 'open') || !child.living;
  await history.until(() => hasBegun() || null, STARTS_MS);
  let problem: string | null = null;
  for (const step of scenario.steps) {
    try {
      await stage.take(step);
    } catch (error) {
      problem = `${scenario.file}:${step.line} ${error instanceof Error ? error.message : String(error)}`;
      break;
    }
  }
  // The end of the looking: whatever is believed then was believed until then.
  const seen: readonly Seen[] = [...history.seen, { kind: 'close', atMs: performance.now(), socket: 0 }];
  await child.end();
  coordinator.close();
  const problems = [...(problem === null ? [] : [problem]), ...new Set(judge(seen))];
  const { file, line, rule, proves } = scenario;
  const tookMs = performance.now() - startMs;
  return {
    name: `${file}:${line}`,
    rule,
    proves,
    problem: problems.length === 0 ? null : problems.join('\n  '),
    tookMs,
  };
}

class Stage {
  readonly #history: History;
  readonly #coordinator: ScriptedCoordinator;
  readonly #child: Command;
  readonly #bindings: Bindings = new Map();
  readonly #instants = new Map<string, number>();
  readonly #taken = new Set<Seen>();

  constructor(history: History, coordinator: ScriptedCoordinator, child: Command) {
    this.#history = history;
    this.#coordinator = coordinator;
    this.#child = child;
  }

  async take({ does, fields }: Step): Promise<void> {
    switch (does) {
      case 'expect':
        return this.#expect(fields);
      case 'never':
        return this.#never(fields);
      case 'wait':
        return pause(Number(fields['forMs']));
      case 'say':
        return this.#say(fields);
      case 'order':
        return this.#child.order(textOf(fields['line']));
      default:
        return this.#disturb(does, fields);
    }
  }

  #disturb(does: string, fields: Message): void {
    const coordinator = this.#coordinator;
    if (does === 'drop') coordinator.drop();
    if (does === 'mute') coordinator.mute();
    if (does === 'away') coordinator.away = fields['is'] === true;
    if (does === 'deaf') coordinator.deaf = fields['is'] === true;
    if (does === 'forget') coordinator.forget();
    if (does === 'journal') coordinator.journal = textOf(fields['id']);
  }

  #say(fields: Message): void {
    const messages = filled(fields['messages'] ?? [], this.#bindings);
    const about = isList(messages) ? messages.filter(isRecord) : [];
    for (const message of about) this.#coordinator.say(this.#coordinator.wire, message);
  }

  async #expect(fields: Message): Promise<void> {
    const { what, withinMs, as, since, between } = fields;
    const pattern = filled(fields['fields'] ?? {}, this.#bindings);
    const limitMs = isNumber(withinMs) ? withinMs : WITHIN_MS;
    const found = await this.#history.until(() => this.#next(textOf(what), pattern), limitMs);
    const asked = `expected ${textOf(what)} ${inShort(pattern)}`;
    if (found === null) throw new Error(`${asked} within ${limitMs} ms; ${this.#lately()}`);
    const from = isText(since) ? this.#instants.get(since) : undefined;
    const problem =
      from === undefined || between === undefined
        ? null
        : mismatch({ $between: between }, Math.round(found.atMs - from), `the time in ms since ${textOf(since)}`);
    if (problem !== null) throw new Error(`${asked}: ${problem}`);
    // What was passed over on the way to it is not expected any more.
    for (const one of this.#history.seen) {
      this.#taken.add(one);
      if (one === found) break;
    }
    bind(pattern, contentOf(found), this.#bindings);
    if (isText(as)) this.#instants.set(as, found.atMs);
  }

  async #never(fields: Message): Promise<void> {
    const what = textOf(fields['what']);
    const pattern = filled(fields['fields'] ?? {}, this.#bindings);
    const found = await this.#history.until(() => this.#next(what, pattern), Number(fields['forMs']));
    if (found !== null)
      throw new Error(`expected no ${what} ${inShort(pattern)}, and saw ${inShort(contentOf(found))}`);
  }

  /** The first one not yet taken that is as asked. */
  #next(what: string, pattern: Json): Seen | null {
    const isIt = (one: Seen): boolean => kindOf(one) === what && mismatch(pattern, contentOf(one)) === null;
    return this.#history.seen.find((one) => !this.#taken.has(one) && isIt(one)) ?? null;
  }

  #lately(): string {
    const lines = this.#history.seen
      .filter((one) => !this.#taken.has(one) && kindOf(one) !== 'pong')
      .slice(0, 8)
      .map((one) => `${kindOf(one)} ${inShort(contentOf(one), 200)}`);
    const ended = this.#child.living ? '' : `; the command has ended: ${this.#child.stderr}`;
    return `saw ${lines.length === 0 ? 'nothing' : lines.join('; ')}${ended}`;
  }
}

/** A line by its word, a message of the client by its type, and what happens to sockets; what the coordinator says is nothing to expect. */
function kindOf(one: Seen): string {
  if (one.kind === 'in') return textOf(one.message['type']);
  if (one.kind === 'out') return 'said';
  return one.kind === 'line' && LINES.includes(one.word) ? one.word : one.kind;
}

function contentOf(one: Seen): Message {
  if (one.kind === 'in' || one.kind === 'out') return one.message;
  return one.kind === 'line' ? { name: one.name, token: one.token } : {};
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
