import { FRAME_BYTES_MAX } from '../../shared/limits.ts';
import type { RequestId } from '../../shared/ids.ts';
import type { Json } from '../../shared/json.ts';
import { utf8Bytes } from '../../shared/utf8.ts';
import type { ClientEvent, LeaseNews, LeaseSnapshot, Outcome, Reference } from '../core/types.ts';
import { LeaseError, LeaseLostError, LeaseReleasedError } from './errors.ts';
import { makeListeners } from './listeners.ts';
import { jsonText } from './options.ts';
import type { Lease, LeaseEvents } from './public-lease.ts';
import type { OutcomeOf, Runner } from './runner.ts';

/** A lease as the client keeps it: the handle that people have, and what only the client may do. */
export interface Held {
  readonly key: RequestId;
  readonly lease: Lease;
  /** How it ended; null while it goes on. */
  readonly ended: LeaseLostError | LeaseReleasedError | null;
  readonly news: (news: LeaseNews) => void;
  /** Aborts the signal while the lease goes on: the client is closing. */
  readonly stop: () => void;
}

/** The coordinator has a limit of its own; beyond this it could not even read the frame. */
const STATE_BYTES_SENT_MAX = FRAME_BYTES_MAX - 1_024;

/** Marks a promise as looked after: who wants its rejection awaits it, and nobody else dies of it. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

export function makeLease(runner: Runner, key: RequestId, first: LeaseSnapshot, failed: (cause: unknown) => void): Held {
  const { name, fencingToken, ttlMs } = first;
  const controller = new AbortController();
  const listeners = makeListeners<LeaseEvents>(failed);
  let last = first;
  let ended: LeaseLostError | LeaseReleasedError | null = null;

  /** What is true now. A lease that is over stays as it was when it ended. */
  function look(): LeaseSnapshot {
    if (ended === null) runner.handle({ kind: 'wake' });
    // It may have ended in that very look.
    if (ended === null) last = runner.lease(key) ?? last;
    return last;
  }

  const lostError = (code: LeaseLostError['code'], attempts: LeaseLostError['attempts']): LeaseLostError => {
    const tried = attempts.map(({ agoMs, outcome }) => `${outcome} ${Math.round(agoMs)} ms before`).join(', ');
    const message = `lease "${name}" with token ${fencingToken} is lost: ${code}${tried && `; last renewals: ${tried}`}. Stop its work; acquire again if need be`;
    return new LeaseLostError({ code, message, retryable: code !== 'revoked' && code !== 'closed' }, attempts);
  };

  function news(told: LeaseNews): void {
    if (told.kind !== 'lost' && told.kind !== 'released') return listeners.emit(told.kind, told as never);
    last = { ...(runner.lease(key) ?? last), status: told.kind, remainingMs: 0 };
    ended = told.kind === 'lost' ? lostError(told.code, told.attempts) : new LeaseReleasedError(`lease "${name}" was released`);
    controller.abort(ended);
    listeners.emit(told.kind, ended as never);
  }

  /** Asks the core something of this lease; a lease that is over refuses with the reason of its end. */
  async function ask<K extends Outcome['kind']>(event: (reference: Reference) => ClientEvent): Promise<OutcomeOf<K>> {
    look();
    if (ended !== null) throw ended;
    return runner.ask<K>(event).catch((error: unknown) => {
      throw ended ?? error;
    });
  }

  const release = (): Promise<boolean> =>
    ask<'released'>((reference) => ({ kind: 'release', key, reference, handOver: false })).then(
      ({ released }) => released,
      () => false,
    );

  async function handOver(): Promise<void> {
    const { released, code } = await ask<'released'>((reference) => ({ kind: 'release', key, reference, handOver: true }));
    if (!released) throw new LeaseError({ code: code ?? 'nobody-waiting', message: `lease "${name}" was not handed over: nobody waits for it; it is kept` });
  }

  async function setState(given: Json | undefined): Promise<number> {
    // Copied now: the core may have to say it again when the caller has long changed it.
    const value = given === undefined ? given : (JSON.parse(stateText(given)) as Json);
    return (await ask<'state-set'>((reference) => ({ kind: 'set-state', key, reference, value, ifVersion: undefined }))).version;
  }

  const lease: Lease = {
    name,
    fencingToken,
    ttlMs,
    protected: true,
    mode: 'exclusive',
    get status() {
      return look().status;
    },
    get remainingMs() {
      return look().remainingMs;
    },
    get ceilingLeftMs() {
      return look().ceilingLeftMs;
    },
    get state() {
      return look().state?.value;
    },
    get signal() {
      look();
      return controller.signal;
    },
    assertHeld() {
      const { status } = look();
      if (ended !== null) throw ended;
      if (status !== 'held') {
        throw new LeaseError({ code: 'at-risk', message: `lease "${name}" is at risk; start nothing new until it has recovered`, retryable: true });
      }
    },
    setState: (value) => quiet(setState(value)),
    renew: () => quiet(ask<'renewed'>((reference) => ({ kind: 'renew', key, reference })).then(() => look().remainingMs)),
    release,
    handOver: () => quiet(handOver()),
    on: listeners.on,
    [Symbol.asyncDispose]: () => release().then(() => undefined),
  };
  return {
    key,
    lease,
    news,
    stop: () => controller.abort(lostError('closed', [])),
    get ended() {
      return ended;
    },
  };
}

function stateText(value: Json): string {
  const text = jsonText('state', value);
  if (utf8Bytes(text) <= STATE_BYTES_SENT_MAX) return text;
  throw new LeaseError({ code: 'state-too-large', message: `state has more than ${STATE_BYTES_SENT_MAX} bytes as JSON; keep a reference in it and the data elsewhere`, param: 'state' });
}
