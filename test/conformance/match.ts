import { inShort, isList, isNumber, isRecord, isText, type Json, type Message, textOf } from './json.ts';

/** What a script has bound: `${token}` stands for it. */
export type Bindings = Map<string, Json>;

const WHOLE = /^\$\{([^}]+)\}$/;
const INSIDE = /\$\{([^}]+)\}/g;

/** The template with its bindings put in. A text that is one binding becomes its value, whatever the kind. */
export function filled(template: Json, bindings: Bindings): Json {
  if (isText(template)) return filledText(template, bindings);
  if (isList(template)) return template.map((item) => filled(item, bindings));
  if (!isRecord(template)) return template;
  const made = generated(template, bindings);
  if (made !== null) return made;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, filled(value, bindings)]));
}

function filledText(template: string, bindings: Bindings): Json {
  const whole = WHOLE.exec(template)?.[1];
  if (whole !== undefined) return bound(whole, bindings);
  return template.replaceAll(INSIDE, (_, key: string) => textOf(bound(key, bindings)));
}

function bound(key: string, bindings: Bindings): Json {
  const value = bindings.get(key);
  if (value === undefined) throw new Error(`nothing is bound to ${key}`);
  return value;
}

/** What is too long to be written down. */
function generated(template: Message, bindings: Bindings): Json | null {
  const { $plus: plus, $repeat: repeat, $nest: nest, $list: list } = template;
  const times = Number(template['times'] ?? 0);
  if (isList(plus)) return plus.reduce<number>((sum, item) => sum + Number(filled(item, bindings)), 0);
  if (isText(repeat)) return repeat.repeat(times);
  if (isNumber(nest)) {
    let nested: Json = 0;
    for (let depth = 0; depth < nest; depth += 1) nested = [nested];
    return nested;
  }
  if (list === undefined) return null;
  return Array.from({ length: times }, (_, index) => filled(list, new Map([...bindings, ['index', index]])));
}

const whole = (value: Json | undefined): boolean => isNumber(value) && Number.isSafeInteger(value);
const KINDS: Readonly<Record<string, (value: Json | undefined) => boolean>> = {
  number: isNumber,
  text: isText,
  flag: (value) => typeof value === 'boolean',
  list: isList,
  record: isRecord,
  count: (value) => whole(value) && Number(value) >= 0,
  token: (value) => whole(value) && Number(value) >= 1,
  id: (value) => isText(value) && value.length > 0 && Buffer.byteLength(value) <= 64,
};

/** A test that one matcher makes; null when the value is as it has to be, otherwise how it is not. */
type Check = (argument: Json, value: Json | undefined) => string | null;
const otherwise = (is: boolean, text: string): string | null => (is ? null : text);

const CHECKS: Readonly<Record<string, Check>> = {
  $is: (kind, value) => otherwise(KINDS[textOf(kind)]?.(value) ?? false, `is no ${textOf(kind)}`),
  $absent: (_, value) => otherwise(value === undefined, 'has to be absent'),
  $above: (than, value) => otherwise(isNumber(value) && value > Number(than), `has to be above ${inShort(than)}`),
  $below: (than, value) => otherwise(isNumber(value) && value < Number(than), `has to be below ${inShort(than)}`),
  $between: (range, value) => {
    const [from, to] = isList(range) ? range : [];
    const is = isNumber(value) && value >= Number(from) && value <= Number(to);
    return otherwise(is, `has to lie between ${inShort(from)} and ${inShort(to)}`);
  },
  $not: (other, value) =>
    otherwise(
      value !== undefined && JSON.stringify(value) !== JSON.stringify(other),
      `has to be other than ${inShort(other)}`,
    ),
  $oneOf: (values, value) =>
    otherwise(isList(values) && values.some((one) => one === value), `has to be one of ${inShort(values)}`),
  $length: (length, value) =>
    otherwise((isList(value) || isText(value)) && value.length === length, `has to have the length ${inShort(length)}`),
  $says: (part, value) => otherwise(isText(value) && value.includes(textOf(part)), `has to say ${inShort(part)}`),
  // The binding is made where the whole pattern has matched.
  $bind: (_, value) => otherwise(value !== undefined, 'has to be there'),
};

const isMatcher = (pattern: Json): pattern is Message =>
  isRecord(pattern) && Object.keys(pattern).some((key) => key.startsWith('$'));

/**
 * Where `value` is not as `pattern` (whose bindings are put in) has it; null when it is. A record matches when each
 * field named matches, whatever else it has; a list matches item by item.
 */
export function mismatch(pattern: Json, value: Json | undefined, at = ''): string | null {
  const where = at === '' ? 'it' : at;
  if (isMatcher(pattern)) {
    for (const [key, argument] of Object.entries(pattern)) {
      const check = CHECKS[key];
      if (check === undefined) throw new Error(`no matcher is called ${key}`);
      const problem = check(argument, value);
      if (problem !== null) return `${where} is ${inShort(value)}, and ${problem}`;
    }
    return null;
  }
  if (isList(pattern)) {
    if (!isList(value) || value.length !== pattern.length)
      return `${where} is ${inShort(value)}, and has to be a list of ${pattern.length}`;
    return firstOf(pattern.map((item, index) => () => mismatch(item, value[index], `${at}[${index}]`)));
  }
  if (isRecord(pattern)) {
    if (!isRecord(value)) return `${where} is ${inShort(value)}, and has to be a record`;
    const fields = Object.entries(pattern);
    return firstOf(
      fields.map(
        ([key, item]) =>
          () =>
            mismatch(item, value[key], at === '' ? key : `${at}.${key}`),
      ),
    );
  }
  return pattern === value ? null : `${where} is ${inShort(value)}, and has to be ${inShort(pattern)}`;
}

function firstOf(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const problem = check();
    if (problem !== null) return problem;
  }
  return null;
}

/** Binds what `{"$bind": "key"}` in a pattern that matched stands for. */
export function bind(pattern: Json, value: Json | undefined, bindings: Bindings): void {
  if (isMatcher(pattern)) {
    const key = pattern['$bind'];
    if (isText(key) && value !== undefined) bindings.set(key, value);
  } else if (isList(pattern)) {
    for (const [index, item] of pattern.entries()) bind(item, isList(value) ? value[index] : undefined, bindings);
  } else if (isRecord(pattern)) {
    for (const [key, item] of Object.entries(pattern)) bind(item, isRecord(value) ? value[key] : undefined, bindings);
  }
}
