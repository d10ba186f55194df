import type { FrameTable } from '../../../../shared/frame-table.ts';
import { CLIENT_FRAMES } from '../../../../shared/frames.ts';
import type { Bench } from '../../support/bench.ts';
import type { Coordinating } from '../../support/coordinating.ts';
import { msBetween, now, type Messages } from '../../support/log.ts';
import { RawClient } from '../../support/raw-client.ts';
import { within } from '../../support/waiting.ts';
import { namesUnitAndRange, REFUSED_MS_MAX, tally, type Refused } from './refused.ts';

type Message = Messages[number];

/** As they stand in a frame; null: the field is missing. `NaN` is no JSON: see `notJson`. */
const ODD: readonly (string | null)[] = [
  '0',
  '-1',
  '0.5',
  '1.5',
  '1500.7',
  '"30"',
  '"30s"',
  'null',
  null,
  'true',
  '1e12',
  String(2 ** 31),
  String(2 ** 53),
  '1e400',
  '-1e400',
  '""',
  '[]',
  '{"ms":30}',
];

interface DurationField {
  readonly type: string;
  readonly field: string;
  readonly min: number;
  readonly max: number;
  readonly optional: boolean;
}

const TABLE: FrameTable = CLIENT_FRAMES;

/** Every duration that a client can write, as the table of the protocol has them. */
const FIELDS: readonly DurationField[] = Object.entries(TABLE).flatMap(([type, fields]) =>
  Object.entries(fields).flatMap(([field, rule]) =>
    rule.kind === 'duration' ? [{ type, field, min: rule.min, max: rule.max, optional: rule.optional === true }] : [],
  ),
);

/** What the protocol allows is none of this case's business: a wait of 0, a ceiling of 2^31 ms. */
function isLegal({ min, max, optional }: DurationField, written: string | null): boolean {
  if (written === null) return optional;
  const value: unknown = JSON.parse(written);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
}

const NAME = 'odd';
const REQUIRED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  acquire: { request: '"r"', name: `"${NAME}"`, ttlMs: '3000' },
  hello: { protocolMin: '1', protocolMax: '1', instance: '"odd"', dial: '1' },
  bye: {},
};

function fieldsOf({ type, field }: DurationField, value: string | null): string {
  const fields = { type: `"${type}"`, ...REQUIRED[type], [field]: value };
  return Object.entries(fields)
    .flatMap(([key, text]) => (text === null ? [] : [`"${key}":${text}`]))
    .join(',');
}

export async function oddOnTheWire(bench: Bench, coordinator: Coordinating): Promise<void> {
  const unnamed = FIELDS.filter(({ field }) => !field.endsWith('Ms')).map(({ field }) => field);
  bench.measure(
    `durations of the protocol whose name has no unit (of ${FIELDS.length})`,
    unnamed.join(', ') || 'none',
    'none',
    unnamed.length === 0,
  );
  const raw = await bench.raw(coordinator);
  for (const field of FIELDS) {
    const refusals: Refused[] = [];
    for (const value of ODD.filter((one) => !isLegal(field, one)))
      refusals.push(
        await (field.type === 'hello' ? refusedHello(coordinator, field, value) : refused(raw, field, value)),
      );
    tally(bench, `${field.type}.${field.field} on the wire`, refusals);
  }
  await notJson(bench, coordinator);
  await nothingCameOfIt(bench, coordinator, raw);
}

async function refused(raw: RawClient, field: DurationField, value: string | null): Promise<Refused> {
  const from = now();
  raw.sendWritten(fieldsOf(field, value));
  const error = await raw.take('error');
  return judged(field, value, error, msBetween(from, now()));
}

/** A `hello` that is wrong closes its socket. */
async function refusedHello(coordinator: Coordinating, field: DurationField, value: string | null): Promise<Refused> {
  const raw = await RawClient.open(coordinator.url);
  const from = now();
  raw.sendWritten(fieldsOf(field, value));
  const error = await raw.take('error');
  await within(raw.closed, 5_000, 'the socket is closed');
  return judged(field, value, error, msBetween(from, now()));
}

const judged = (field: DurationField, value: string | null, error: Message, tookMs: number): Refused => ({
  given: value ?? 'missing',
  tookMs,
  right:
    error['code'] === 'bad-request' &&
    error['param'] === field.field &&
    namesUnitAndRange(error['message'], field.field, field),
  said: JSON.stringify(error),
});

/** No JSON has NaN, so nothing in such a frame can be told apart: its socket is closed with a code, and that is all. */
async function notJson(bench: Bench, coordinator: Coordinating): Promise<void> {
  for (const field of ['ttlMs', 'waitMs']) {
    const { client } = await RawClient.welcome(coordinator.url);
    const from = now();
    client.sendWritten(`"type":"acquire","request":"r","name":"${NAME}","ttlMs":3000,"${field}":NaN`);
    const { code } = await client.take('error');
    const closed = await within(client.closed, 5_000, 'the socket is closed');
    const tookMs = msBetween(from, now());
    bench.ghosts += 1;
    bench.measure(
      `a frame with NaN as ${field}`,
      `${JSON.stringify(code)}, closed with ${closed.code} after ${tookMs.toFixed(0)} ms`,
      `"bad-request" and closed with 4400, at most ${REFUSED_MS_MAX} ms`,
      code === 'bad-request' && closed.code === 4_400 && tookMs <= REFUSED_MS_MAX,
    );
  }
}

async function nothingCameOfIt(bench: Bench, coordinator: Coordinating, raw: RawClient): Promise<void> {
  raw.send({ type: 'list', request: 'look', name: NAME });
  const { views } = await raw.take('view');
  const counts = await coordinator.counts();
  const shown = JSON.stringify(views);
  bench.measure(
    'what came of all of them',
    `${shown}, ${counts?.leases} leases, ${counts?.claims} claims`,
    'no lease, no claim, nobody in the queue',
    shown === JSON.stringify([{ name: NAME, holders: [], queue: 0 }]) && counts?.leases === 0 && counts.claims === 0,
  );
  const granted = raw.received.filter(({ message }) => message['type'] === 'granted').length;
  bench.measure('grants told', granted, '0', granted === 0);
}

/** What is legal is done as it is written, or cut to what the coordinator allows, and the answer says so. */
export async function legalOnTheWire(
  bench: Bench,
  coordinator: Coordinating,
  most: { readonly ttlMs: number; readonly lifetimeMs: number },
): Promise<void> {
  const raw = await bench.raw(coordinator);
  const ask = async (request: string, fields: string): Promise<Message> => {
    raw.sendWritten(`"type":"acquire","request":"${request}","name":"legal ${request}",${fields}`);
    return raw.take('granted');
  };
  const release = ({ name = '', fencingToken = 0 }: Message): void =>
    raw.send({ type: 'release', request: 'end', name, fencingToken });
  for (const [request, fields, windowMs] of [
    ['least', '"ttlMs":1000', 1_000],
    ['least fixed', '"ttlMs":250,"renew":false', 250],
    ['exponent', '"ttlMs":1.5e3', 1_500],
    ['longest', '"ttlMs":86400000', most.ttlMs],
  ] as const) {
    const granted = await ask(request, fields);
    bench.measure(
      `granted for ${fields}`,
      `${Number(granted['ttlMs'])} ms, ${Number(granted['leftMs'])} ms left`,
      `${windowMs} ms, and about as much left`,
      granted['ttlMs'] === windowMs && within100(granted['leftMs'], windowMs),
    );
    release(granted);
  }
  const lifetime = await ask('lifetime', '"ttlMs":1000,"maxLifetimeMs":86400000');
  bench.measure(
    `ceiling told for "maxLifetimeMs":86400000`,
    `${Number(lifetime['ceilingLeftMs'])} ms`,
    `the coordinator's longest, ${most.lifetimeMs} ms`,
    within100(lifetime['ceilingLeftMs'], most.lifetimeMs),
  );
  await oneTry(bench, raw);
  release(lifetime);
}

/** A lease's window counts from a frame before its grant was stored: there may be that much more left. */
const within100 = (value: unknown, ms: number): boolean => Number(value) >= ms && Number(value) <= ms + 100;

async function oneTry(bench: Bench, raw: RawClient): Promise<void> {
  const from = now();
  raw.sendWritten('"type":"acquire","request":"once","name":"legal lifetime","ttlMs":1000,"waitMs":0');
  const { code } = await raw.take('error');
  const tookMs = msBetween(from, now());
  bench.measure(
    'a wait of 0 for a name that is held',
    `${JSON.stringify(code)} after ${tookMs.toFixed(0)} ms`,
    `"wait-timeout", at most ${REFUSED_MS_MAX} ms`,
    code === 'wait-timeout' && tookMs <= REFUSED_MS_MAX,
  );
}
