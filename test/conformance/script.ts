import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isList, isNumber, isRecord, isText, type Json, type Message } from './json.ts';

export interface Step {
  readonly line: number;
  readonly does: string;
  readonly fields: Message;
}

/** One rule, and the steps that show it. */
export interface Script {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  /** Ids of docs/PROTOCOL.md and docs/PROMISES.md. */
  readonly proves: readonly string[];
  /** About how long it takes; those that take long begin first. */
  readonly seconds: number;
  /** What it does concerns whoever else uses the coordinator: played alone, and only at a coordinator of our own. */
  readonly disturbs: boolean;
  readonly steps: readonly Step[];
}

const HEAD = ['rule', 'proves', 'seconds', 'disturbs'];

/** The fields that each step may have; `on` is a socket of a client: `a` is the first one of client a, `a.2` another. */
export const STEPS: Readonly<Record<string, readonly string[]>> = {
  dial: ['on', 'pong', 'subprotocol', 'path', 'over', 'channel'],
  hello: ['on', 'pong', 'fields', 'welcome', 'over', 'channel'],
  send: ['on', 'message', 'messages', 'as'],
  text: ['on', 'text'],
  binary: ['on', 'hex'],
  expect: ['on', 'message', 'withinMs', 'next', 'since', 'between'],
  nothing: ['on', 'message', 'forMs'],
  closed: ['on', 'code', 'withinMs', 'since', 'between'],
  close: ['on'],
  cut: ['on'],
  wait: ['forMs'],
};

export function scriptsOf(file: string, text: string): readonly Script[] {
  const scripts: { -readonly [K in keyof Script]: K extends 'steps' ? Step[] : Script[K] }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const where = `${file}:${index + 1}`;
    const parsed = recordOf(line, where);
    const rule = parsed['rule'];
    const last = scripts.at(-1);
    if (isText(rule)) {
      refuseOthers(parsed, HEAD, where);
      const { proves, seconds, disturbs } = parsed;
      if (!isList(proves) || proves.length === 0 || !proves.every(isText)) throw new Error(`${where} proves nothing`);
      const lasts = isNumber(seconds) ? seconds : 1;
      scripts.push({ file, line: index + 1, rule, proves, seconds: lasts, disturbs: disturbs === true, steps: [] });
    } else if (last === undefined) throw new Error(`${where}: a step stands before the first rule`);
    else last.steps.push(stepOf(parsed, index + 1, where));
  }
  for (const { steps, line } of scripts) if (steps.length === 0) throw new Error(`${file}:${line} has no steps`);
  return scripts;
}

function stepOf(parsed: Message, line: number, where: string): Step {
  const { do: does, ...fields } = parsed;
  const allowed = isText(does) ? STEPS[does] : undefined;
  if (!isText(does) || allowed === undefined) throw new Error(`${where}: no step is called ${JSON.stringify(does)}`);
  refuseOthers(fields, allowed, where);
  if (allowed.includes('on') && !isText(fields['on'])) throw new Error(`${where}: "on" names no socket`);
  return { line, does, fields };
}

export function recordOf(line: string, where: string): Message {
  let parsed: Json;
  try {
    parsed = JSON.parse(line) as Json; // What JSON.parse gives is JSON.
  } catch (error) {
    throw new Error(`${where} is no JSON`, { cause: error });
  }
  if (!isRecord(parsed)) throw new Error(`${where} is no record`);
  return parsed;
}

/** A misspelt field would make a step that proves less than it says. */
export function refuseOthers(record: Message, allowed: readonly string[], where: string): void {
  const other = Object.keys(record).find((key) => !allowed.includes(key));
  if (other !== undefined) throw new Error(`${where}: no field is called ${other}; there are ${allowed.join(', ')}`);
}

/** Every script of a folder, in the order of files and lines. */
export function scriptsIn(folder: string): readonly Script[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted();
  return files.flatMap((name) => scriptsOf(name, readFileSync(join(folder, name), 'utf8')));
}
