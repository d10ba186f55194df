import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isList, isNumber, isRecord, isText, type Message } from '../json.ts';
import { recordOf, refuseOthers, type Step } from '../script.ts';
import type { Twist } from './coordinator.ts';

/** One rule for clients: how the coordinator behaves, and what is seen of the client then. */
export interface Scenario {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly proves: readonly string[];
  readonly ttlMs: number;
  readonly twists: readonly Twist[];
  readonly steps: readonly Step[];
}

const HEAD = ['rule', 'proves', 'ttlMs'];
const TWIST = ['when', 'nth', 'does', 'delayMs', 'with', 'say', 'code'];
const ACTS = ['answer', 'lose', 'mute', 'drop', 'answer-then-drop', 'close'] as const;

/** The fields that each step may have. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  expect: ['what', 'fields', 'withinMs', 'as', 'since', 'between'],
  never: ['what', 'fields', 'forMs'],
  say: ['messages'],
  order: ['line'],
  drop: [],
  mute: [],
  away: ['is'],
  deaf: ['is'],
  forget: [],
  journal: ['id'],
  wait: ['forMs'],
};

export function scenariosOf(file: string, text: string): readonly Scenario[] {
  const scenarios: (Omit<Scenario, 'twists' | 'steps'> & { twists: Twist[]; steps: Step[] })[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const where = `${file}:${index + 1}`;
    const parsed = recordOf(line, where);
    const last = scenarios.at(-1);
    if (isText(parsed['rule'])) {
      refuseOthers(parsed, HEAD, where);
      const { rule, proves, ttlMs } = parsed;
      if (!isList(proves) || proves.length === 0 || !proves.every(isText)) throw new Error(`${where} proves nothing`);
      const head = { file, line: index + 1, rule, proves, ttlMs: isNumber(ttlMs) ? ttlMs : 2_000 };
      scenarios.push({ ...head, twists: [], steps: [] });
    } else if (last === undefined) throw new Error(`${where} stands before the first rule`);
    else if (parsed['when'] === undefined) last.steps.push(stepOf(parsed, index + 1, where));
    else last.twists.push(twistOf(parsed, where));
  }
  return scenarios;
}

function stepOf(parsed: Message, line: number, where: string): Step {
  const { do: does, ...fields } = parsed;
  const allowed = isText(does) ? STEPS[does] : undefined;
  if (!isText(does) || allowed === undefined) throw new Error(`${where}: no step is called ${JSON.stringify(does)}`);
  refuseOthers(fields, allowed, where);
  return { line, does, fields };
}

function twistOf(parsed: Message, where: string): Twist {
  refuseOthers(parsed, TWIST, where);
  const { when, nth, does = 'answer', delayMs, with: others, say, code } = parsed;
  const act = ACTS.find((one) => one === does);
  if (!isText(when) || act === undefined) throw new Error(`${where}: a twist does one of ${ACTS.join(', ')}`);
  return {
    when,
    nth: rangeOf(nth),
    does: act,
    delayMs: isNumber(delayMs) ? delayMs : 0,
    with: isRecord(others) ? others : {},
    say: isList(say) ? say : null,
    code: isNumber(code) ? code : 1000,
  };
}

function rangeOf(nth: unknown): readonly [number, number] | null {
  if (typeof nth === 'number') return [nth, nth];
  if (!Array.isArray(nth)) return null;
  return [Number(nth[0]), Number(nth[1])];
}

export function scenariosIn(folder: string): readonly Scenario[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted();
  return files.flatMap((name) => scenariosOf(name, readFileSync(join(folder, name), 'utf8')));
}
