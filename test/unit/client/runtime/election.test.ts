import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fencingToken, sessionId } from '../../../../shared/ids.ts';
import { shown, stand, tellingOf } from './election-support.ts';
import { kinds, lost } from './run-support.ts';
import { failure, rig } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

const WIN = ['status leading', 'elected 7', 'leader 7'];
const refusal = failure({ code: 'revoked', retryable: false });

describe('elect: what is told, and in which order', () => {
  it('a win is told in one turn: the status, elected with the lease, the leader', () => {
    const { election, told, granted } = stand();
    granted(7);
    expect(told).toEqual(WIN);
    expect(election).toMatchObject({ name: 'jobs', status: 'leading', isLeader: true, position: null, error: null });
    expect(election.lease).toMatchObject({ fencingToken: 7, status: 'held' });
  });

  it('a loss is told in one turn: the status, the signal, the lease, deposed, no leader; and it stands again already', () => {
    const { election, told, granted, ended, keys } = stand();
    granted(7);
    told.splice(0);
    ended(lost);
    expect(told).toEqual(['status standing', 'aborted', 'lost expired', 'deposed expired', 'leader null']);
    expect(election).toMatchObject({ status: 'standing', isLeader: false, lease: null, leader: null });
    expect(new Set(keys()).size).toBe(2);
  });

  it('a release by its own user is a resignation, told in the same order', async () => {
    const { core, election, told, granted } = stand();
    granted(7);
    told.splice(0);
    await expect(election.lease?.release()).resolves.toBe(true);
    expect(told).toEqual(['status standing', 'aborted', 'released', 'deposed released', 'leader null']);
    expect(kinds({ core } as never).slice(-2)).toEqual(['release', 'acquire']);
  });

  it('a listener that gives the lease back at once mixes up nothing for the others', () => {
    const { election, granted } = stand();
    election.on('elected', (lease) => void lease.release());
    const told = tellingOf(election);
    granted(7);
    const news = ['elected 7', 'leader 7', 'deposed released', 'leader null'];
    expect(told.filter((one) => news.includes(one))).toEqual(news);
    expect(election.status).toBe('standing');
  });

  it('one that does so when the status changes mixes up nothing either', () => {
    const { election, granted } = stand();
    election.subscribe(() => void election.lease?.release());
    const told = tellingOf(election);
    granted(7);
    const news = ['elected 7', 'leader 7', 'deposed released', 'leader null'];
    expect(told.filter((one) => news.includes(one))).toEqual(news);
  });

  it('a listener that stops the election on its loss is obeyed, and the loss is told to its end', () => {
    const { core, election, told, granted, ended, keys } = stand();
    granted(7);
    election.lease?.on('lost', () => void election.stop());
    told.splice(0);
    ended(lost);
    expect(told).toEqual([
      'status standing',
      'aborted',
      'lost expired',
      'status stopped',
      'deposed expired',
      'leader null',
    ]);
    expect(core.heard('withdraw').map(({ key }) => key)).toEqual(keys().slice(1));
  });

  it('what a listener throws becomes a warning and stops no other', async () => {
    const { election, granted, warnings } = stand();
    const cause = new Error('mine');
    const boom = (): never => {
      throw cause;
    };
    election.subscribe(boom);
    for (const event of ['elected', 'leader'] as const) election.on(event, boom);
    const told = tellingOf(election);
    granted(7);
    expect(told).toEqual(WIN);
    await vi.waitFor(() => expect(warnings).toHaveLength(3));
    expect(warnings.every((warning) => warning.code === 'listener' && warning.cause === cause)).toBe(true);
  });

  it('a listener that was taken away hears nothing, and an odd event is refused', () => {
    const { election, granted } = stand();
    const listener = vi.fn();
    election.on('elected', listener)();
    election.subscribe(listener)();
    granted(7);
    expect(listener).not.toHaveBeenCalled();
    expect(() => election.on('elect' as never, listener)).toThrow(/"elected"/);
  });

  it('a lease at risk still leads', () => {
    const { core, election, granted, keys } = stand();
    granted(7);
    const [key] = keys();
    const lease = key && core.leases.get(key);
    if (key && lease) core.leases.set(key, { ...lease, status: 'at-risk' });
    expect(election.lease?.status).toBe('at-risk');
    expect(election).toMatchObject({ isLeader: true, status: 'leading' });
  });
});

describe('elect: where it stands', () => {
  it('the claim has the terms of the candidate, waits without limit, and steals nothing', () => {
    const renewWhile = (): boolean => true;
    const { core } = stand({ ttlMs: 4_000, priority: 3, renewWhile });
    expect(core.heard('acquire')[0]?.terms).toMatchObject({
      name: 'jobs',
      ttlMs: 4_000,
      priority: 3,
      waitMs: null,
      steal: false,
      whenOwn: 'queue',
      candidate: true,
    });
  });

  it('without a connection it is connecting; with one it stands, at the place that it is told', () => {
    const { election, connection, turn, keys, told } = stand();
    expect(election).toMatchObject({ status: 'standing', position: null });
    const place = { position: 3, behind: 'other', holder: 'b', heldForMs: 1, remainingMs: 2 } as const;
    const [key] = keys();
    if (key) turn({ kind: 'queued', key, ...place });
    expect(election.position).toBe(3);
    connection('backing-off');
    expect(election).toMatchObject({ status: 'connecting', position: null });
    connection('open');
    expect(election).toMatchObject({ status: 'standing', position: null });
    expect(told).toEqual(['status connecting', 'status standing']);
  });

  it('one that leads goes on leading without a connection', () => {
    const { election, granted, connection } = stand();
    granted(7);
    connection('backing-off');
    expect(election).toMatchObject({ status: 'leading', isLeader: true });
  });

  it('a claim that was refused for now is asked anew after a pause, under a key of its own', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { election, failed, keys } = stand();
    failed(refusal);
    expect([election.status, keys().length]).toEqual(['connecting', 1]);
    vi.advanceTimersByTime(749);
    expect(keys()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect([election.status, new Set(keys()).size]).toEqual(['standing', 2]);
  });

  it.each(['forbidden', 'mode-conflict', 'bad-request', 'refused'] as const)(
    'S10 %s is final: refused, with the error, and nothing is wanted any more',
    (code) => {
      const { core, election, failed, told } = stand();
      failed(failure({ code, message: 'no', retryable: false }));
      expect(election).toMatchObject({ status: 'refused', isLeader: false, error: { code, message: 'no' } });
      expect(told).toEqual(['status refused']);
      expect([core.heard('unwatch').length, vi.getTimerCount()]).toEqual([1, 0]);
    },
  );

  it('one that leads under a client that is refused is deposed, and then refused', () => {
    const { core, election, told, granted, ended } = stand();
    granted(7);
    told.splice(0);
    core.answer = (event) =>
      event.kind === 'acquire'
        ? [{ kind: 'claim', key: event.key, outcome: { kind: 'failed', failure: failure({ code: 'refused' }) } }]
        : [];
    ended({ ...lost, code: 'unauthorized' });
    expect(told).toEqual(['status refused', 'aborted', 'lost unauthorized', 'deposed unauthorized', 'leader null']);
    expect(election.error).toMatchObject({ code: 'refused' });
  });

  it('the close of its client stops it, also while it pauses', () => {
    const { core, election, failed, connection } = stand();
    failed(refusal);
    core.answer = (event) =>
      event.kind === 'acquire'
        ? [{ kind: 'claim', key: event.key, outcome: { kind: 'failed', failure: failure({ code: 'closed' }) } }]
        : [];
    connection('closed');
    expect(election).toMatchObject({ status: 'stopped', error: null });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a watch that is refused is tried again with the next claim', () => {
    const { core, failed, turn } = stand();
    const reference = core.heard('watch')[0]?.reference;
    if (reference !== undefined) turn({ kind: 'settle', reference, outcome: { kind: 'failed', failure: refusal } });
    expect(core.heard('watch')).toHaveLength(1);
    failed(refusal);
    vi.advanceTimersByTime(1_000);
    expect(core.heard('watch')).toHaveLength(2);
  });

  it.each([
    [{ waitMs: 5 }, 'waitMs'],
    [{ onQueued: () => 1 }, 'onQueued'],
    [{ steal: true }, 'steal'],
    [{ whenOwn: 'reject' }, 'whenOwn'],
    [{ drainMs: 1 }, 'drainMs'],
    [{ ttlMs: 1 }, 'ttlMs'],
    [{ signal: {} }, 'signal'],
    ['text', 'options'],
  ])('S10 odd options are thrown at once, before anything is asked: %j', (options, param) => {
    const { core, client } = rig();
    expect(() => client.elect('jobs', options as never)).toThrow(
      expect.objectContaining({ code: 'bad-request', param }),
    );
    expect(core.events).toEqual([]);
    expect(() => client.elect('..')).toThrow(expect.objectContaining({ code: 'bad-request', param: 'name' }));
  });
});

describe('elect: resign and stop', () => {
  it('resign gives the lease back, and claims anew behind that', async () => {
    const made = stand();
    made.granted(7);
    const before = kinds(made).length;
    await expect(made.election.resign()).resolves.toBeUndefined();
    expect(kinds(made).slice(before)).toEqual(['release', 'acquire']);
    expect(made.told.slice(-3)).toEqual(['released', 'deposed released', 'leader null']);
  });

  it('one that does not lead resigns nothing', async () => {
    const made = stand();
    await made.election.resign();
    expect(kinds(made)).toEqual(['watch', 'acquire']);
    expect(made.told).toEqual([]);
  });

  it('two resignations of one moment are one, though it leads again already', async () => {
    const made = stand();
    made.granted(7);
    const first = made.election.resign();
    made.granted(8);
    const second = made.election.resign();
    await Promise.all([first, second]);
    expect(made.core.heard('release')).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await made.election.resign();
    expect(made.core.heard('release')).toHaveLength(2);
  });

  it('stop of one that leads gives the lease back and stands no more', async () => {
    const made = stand();
    made.granted(7);
    made.told.splice(0);
    const stopped = made.election.stop();
    expect(made.told).toEqual(['status stopped', 'aborted', 'released', 'deposed released', 'leader null']);
    expect(made.election.stop()).toBe(stopped);
    await expect(stopped).resolves.toBeUndefined();
    await made.election.resign();
    expect(kinds(made).filter((kind) => kind !== 'ready')).toEqual(['watch', 'acquire', 'release', 'unwatch']);
  });

  it('stop of one that waits withdraws its claim; what it saw is no news any more', async () => {
    const made = stand();
    made.seen(shown(5));
    await made.election.stop();
    expect(made.told).toEqual(['leader 5', 'status stopped', 'leader null']);
    expect(kinds(made).filter((kind) => kind !== 'ready')).toEqual(['watch', 'acquire', 'unwatch', 'withdraw']);
    made.granted(7);
    made.connection('backing-off');
    expect(made.election).toMatchObject({ status: 'stopped', leader: null, lease: null, position: null });
    expect(made.told).toHaveLength(3);
  });

  it('F30 after a stop no timer is left, while it paused either', async () => {
    const made = stand();
    made.failed(refusal);
    expect(vi.getTimerCount()).toBe(1);
    await made.election.stop();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(made.keys()).toHaveLength(1);
  });

  it('await using stops it', async () => {
    const made = stand();
    {
      await using election = made.election;
      expect(election.status).toBe('standing');
    }
    expect(made.election.status).toBe('stopped');
  });

  it('its signal stops it; one that is aborted before never stands, and neither keeps a listener', () => {
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, 'removeEventListener');
    const made = stand({ signal: controller.signal });
    made.granted(7);
    controller.abort();
    expect(made.election.status).toBe('stopped');
    expect(made.core.heard('release')).toHaveLength(1);
    expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
    const never = stand({ signal: AbortSignal.abort() });
    expect([never.election.status, kinds(never)]).toEqual(['stopped', []]);
  });
});

describe('elect: who leads', () => {
  it('another leader is told once, and looked at afresh with each view', () => {
    const { election, told, seen } = stand();
    seen(shown(5));
    const before = election.getSnapshot();
    expect(election.getSnapshot()).toBe(before);
    expect(election.leader?.holders[0]).toMatchObject({ label: 'other', fencingToken: 5, remainingMs: 900 });
    seen(shown(5, { queue: 4 }));
    expect(election.leader?.queue).toBe(4);
    expect(election.getSnapshot()).not.toBe(before);
    seen(shown(null));
    seen(shown(6));
    expect(told).toEqual(['leader 5', 'leader null', 'leader 6']);
  });

  it('while it leads it is the leader itself: its label, metadata, session, token and state', () => {
    const { core, election, seen, granted } = stand({}, { label: 'tab 42', metadata: { host: 'h' } });
    core.session = sessionId('s1');
    seen(shown(5, { queue: 2 }));
    const state = { value: { count: 1 }, version: 3, fencingToken: fencingToken(5) };
    granted(7, { state });
    const { leader } = election;
    expect(leader).toMatchObject({
      name: 'jobs',
      queue: 2,
      state,
      lastFencingToken: 7,
      holders: [
        {
          label: 'tab 42',
          metadata: { host: 'h' },
          session: 's1',
          fencingToken: 7,
          mode: 'exclusive',
          heldForMs: 0,
          remainingMs: 27_000,
          ceilingLeftMs: 86_400_000,
        },
      ],
    });
    expect(leader?.state?.value).not.toBe(state.value);
    vi.advanceTimersByTime(50);
    expect(leader?.holders[0]?.heldForMs).toBe(50);
  });

  it('a view of its own lease shows its state and the queue as they are by then, and is no news of a leader', () => {
    const { core, election, told, seen, granted, keys } = stand();
    granted(7);
    told.splice(0);
    const [key] = keys();
    const lease = key && core.leases.get(key);
    const state = { value: 2, version: 4, fencingToken: fencingToken(7) };
    if (key && lease) core.leases.set(key, { ...lease, state });
    seen(shown(7, { queue: 3, state }));
    expect(election.leader).toMatchObject({ queue: 3, state });
    expect(told).toEqual([]);
  });

  it('after its loss whoever was seen to lead by then is told, and nobody earlier', () => {
    const { told, seen, granted, ended } = stand();
    granted(7);
    seen(shown(9));
    told.splice(0);
    ended({ ...lost, code: 'stolen' });
    expect(told.slice(-3)).toEqual(['deposed stolen', 'leader null', 'leader 9']);
    seen(shown(7));
    seen(shown(5));
    expect(told.slice(-2)).toEqual(['leader null', 'leader 9']);
  });
});
