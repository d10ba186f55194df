import type { Json } from '../../../../shared/json.ts';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../../support/bench.ts';
import type { Exit } from '../../support/children.ts';
import type { ClientHandle } from '../../support/client-process.ts';
import type { CoordinatorProcess } from '../../support/coordinator-process.ts';
import { msBetween, now } from '../../support/log.ts';
import type { Relay } from '../../support/relay.ts';
import { Script } from '../../support/script.ts';
import { within } from '../../support/waiting.ts';

const HOLDER = fileURLToPath(new URL('./holder.ts', import.meta.url));
export const TTL_MS = 3_000;
/** What the section still needs when the signal comes. */
export const MORE_MS = 2_000;

export type Way = 'closes' | 'aborts';

/** A holder behind a relay of its own, and when it ended. */
export interface Holder {
  readonly script: Script;
  readonly relay: Relay;
  readonly ended: Promise<Exit & { readonly at: bigint }>;
  readonly renewals: Renewals;
}

/** When the last acquire or renewal was sent, and when its answer passed: it was processed between the two. */
interface Renewals {
  sentAt: bigint;
  ackedAt: bigint;
}

export type Place = readonly [bench: Bench, coordinator: CoordinatorProcess, scripts: DisposableStack];

export async function holderOf([bench, coordinator, scripts]: Place, name: string, way: Way): Promise<Holder> {
  const relay = await bench.relay(() => coordinator);
  const renewals = renewalsAt(relay);
  const script = scripts.use(new Script(HOLDER, [relay.url, name, String(TTL_MS), String(MORE_MS), way]));
  const ended = script.ended.then((exit) => ({ ...exit, at: now() }));
  await script.says('wrote');
  return { script, relay, ended, renewals };
}

function renewalsAt(relay: Relay): Renewals {
  const seen = { sentAt: 0n, ackedAt: 0n };
  relay.watch(({ at, direction, messages }) => {
    const says = (...types: readonly Json[]): boolean => messages.some(({ type }) => types.includes(type ?? null));
    if (direction === 'up' && says('acquire', 'renew')) seen.sentAt = at;
    if (direction === 'down' && says('granted', 'renewed')) seen.ackedAt = at;
  });
  return seen;
}

export interface Ended {
  readonly code: number | null;
  readonly stderr: string;
  /** From the signal. */
  readonly exitMs: number;
  /** The last write of the section, and the end of the section. */
  readonly wroteAt: bigint;
  readonly throughAt: bigint;
  readonly exitAt: bigint;
  /** How `run` ended; null: as its section did. */
  readonly ran: unknown;
}

/** Tells it to end and waits until it has. */
export async function terminated({ script, ended }: Holder): Promise<Ended> {
  script.signal('SIGTERM');
  const { code, at: exitAt } = await within(ended, 30_000, `the holder ends: ${script.stderr}`);
  const last = (what: string) => script.lines.findLast((line) => line.what === what);
  const atOf = (what: string): bigint => last(what)?.at ?? 0n;
  return {
    code,
    stderr: script.stderr,
    exitMs: msBetween(atOf('signal'), exitAt),
    wroteAt: atOf('wrote'),
    throughAt: atOf('section-ends'),
    exitAt,
    ran: last('ran')?.fields['code'],
  };
}

/** When the successor, which waits from now on, is granted. */
export async function succeeds(bench: Bench, next: ClientHandle, name: string): Promise<bigint> {
  await next.acquire(name, name, { ttlMs: TTL_MS }, 60_000);
  const { at } = await bench.log.find('held', (entry) => entry.name === name, 1_000, `${name} is held`);
  await next.release(name);
  return at;
}
