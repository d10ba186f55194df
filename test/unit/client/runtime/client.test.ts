import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dialNumber } from '../../../../client/core/types.ts';
import { failure, lastSocket, rig } from './support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

describe('warnings and status', () => {
  it('status changes carry why', () => {
    const { client, turn } = rig();
    const heard: unknown[] = [];
    client.on('status', (change) => heard.push(change));
    turn(
      { kind: 'status', status: 'open', failure: null },
      { kind: 'status', status: 'backing-off', failure: failure() },
    );
    expect(heard).toEqual([
      { status: 'open', error: null },
      { status: 'backing-off', error: expect.objectContaining({ code: 'unavailable' }) as unknown },
    ]);
  });

  it('the status is that of the core at the moment of reading', () => {
    const { core, client, turn } = rig();
    turn();
    core.status = 'backing-off';
    expect(client.status).toBe('backing-off');
  });

  it('warnings reach listeners and the logger', () => {
    const warn = vi.fn();
    const { client, turn } = rig({ logger: { warn } });
    const heard: unknown[] = [];
    client.on('warning', (warning) => heard.push(warning));
    turn({ kind: 'warning', code: 'stalled', text: 'stalled for 4,500 ms' });
    expect(heard).toEqual([{ code: 'stalled', message: 'stalled for 4,500 ms' }]);
    expect(warn).toHaveBeenCalledWith({ code: 'stalled' }, 'stalled for 4,500 ms');
  });

  it('a listener that throws, or rejects, goes to warning and stops no other', async () => {
    const { client, turn } = rig();
    const cause = new Error('mine');
    const warnings: unknown[] = [];
    const after = vi.fn();
    client.on('warning', (warning) => warnings.push(warning.cause));
    client.on('status', () => {
      throw cause;
    });
    // People do this, though the type says that nobody waits for it.
    const asynchronous: () => unknown = () => Promise.reject(cause);
    client.on('status', asynchronous);
    client.on('status', after);
    turn({ kind: 'status', status: 'open', failure: null });
    expect(after).toHaveBeenCalledOnce();
    await vi.waitFor(() => expect(warnings).toEqual([cause, cause]));
  });

  it('a listener of warnings that throws goes to the logger alone, and a logger that throws nowhere', async () => {
    const warn = vi.fn(() => {
      throw new Error('disk full');
    });
    const { client, turn } = rig({ logger: { warn } });
    const listener = vi.fn(() => {
      throw new Error('mine');
    });
    client.on('warning', listener);
    turn({ kind: 'warning', code: 'waiting', text: 'w' });
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(2));
    expect(listener).toHaveBeenCalledOnce();
  });

  it('a listener that was taken away is not called, not even by the event in which another takes it away', () => {
    const { client, turn } = rig();
    const second = vi.fn();
    client.on('status', () => off());
    const off = client.on('status', second);
    turn({ kind: 'status', status: 'open', failure: null });
    expect(second).not.toHaveBeenCalled();
  });

  it('bad frames are warned of at the 1st, 2nd, 4th, 8th', () => {
    const { client, turn } = rig();
    const messages: string[] = [];
    client.on('warning', ({ code, message }) => void (code === 'bad-frame' && messages.push(message)));
    turn({ kind: 'dial', dial: dialNumber(1), url: 'ws://a.test' });
    lastSocket().say('open');
    for (let count = 0; count < 9; count += 1) lastSocket().say('message', { data: 'garbage' });
    expect(messages.map((text) => text.split(' ')[0])).toEqual(['1', '2', '4', '8']);
  });
});

describe('close', () => {
  it('says close, waits for nothing where nothing is held, and then close-now', async () => {
    const { core, client } = rig();
    await client.close();
    expect(core.events).toEqual([{ kind: 'close', keep: [] }, { kind: 'close-now' }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is the same promise each time', async () => {
    const { core, client } = rig();
    const first = client.close();
    expect(client.close({ drainMs: 1 })).toBe(first);
    await first;
    expect(client.close()).toBe(first);
    expect(core.heard('close-now')).toHaveLength(1);
  });

  it('is what await using does', async () => {
    const { core, client } = rig();
    await client[Symbol.asyncDispose]();
    expect(core.heard('close-now')).toHaveLength(1);
  });

  it('waits for the answers to its releases, at most 500 ms', async () => {
    const { core, client } = rig();
    core.idle = false;
    const closed = vi.fn();
    void client.close().then(closed);
    await vi.advanceTimersByTimeAsync(499);
    expect(core.heard('close-now')).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(core.heard('close-now')).toHaveLength(1);
    expect(closed).toHaveBeenCalledOnce();
  });

  it('goes on as soon as the last answer has come', async () => {
    const { core, client, turn } = rig();
    core.idle = false;
    const closed = client.close();
    await vi.advanceTimersByTimeAsync(10);
    core.idle = true;
    turn();
    await closed;
    expect(core.heard('close-now')).toHaveLength(1);
  });

  it('S10 a drain that is out of range is refused, and nothing is closed', async () => {
    const { core, client } = rig();
    await expect(client.close({ drainMs: -1 })).rejects.toMatchObject({ code: 'bad-request', param: 'drainMs' });
    expect(core.events).toEqual([]);
    await client.close({ drainMs: 0 });
    expect(core.heard('close')).toHaveLength(1);
  });

  it('leaves bare leases out of what is kept', async () => {
    const { core, client } = rig();
    await client.acquire('printer');
    await client.close();
    expect(core.heard('close')).toEqual([{ kind: 'close', keep: [] }]);
  });
});
