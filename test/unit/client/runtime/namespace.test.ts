import { describe, expect, it } from 'vitest';
import { makeClient } from '../../../../client/runtime/client.ts';
import { namesIn } from '../../../../client/runtime/namespace.ts';
import { leaseName } from '../../../../shared/ids.ts';
import { FakeSocket, rig, ScriptedCore } from './support.ts';

describe('names', () => {
  it('go out behind the namespace and come back without it', () => {
    const names = namesIn('acme');
    expect(names.full('a/b')).toBe('acme/a/b');
    expect(names.short('acme/a/b')).toBe('a/b');
    expect([names.prefix(''), names.prefix('jobs/')]).toEqual(['acme/', 'acme/jobs/']);
  });

  it('stay as they are without one', () => {
    const names = namesIn(undefined);
    expect([names.full('acme/a'), names.short('acme/a'), names.prefix('')]).toEqual(['acme/a', 'acme/a', '']);
  });

  it('a namespace may have slashes within', () => {
    expect(namesIn('acme/eu').full('n')).toBe('acme/eu/n');
  });

  it('S10 name and namespace together have at most 256 bytes, and the message says both', () => {
    const names = namesIn('acmé');
    expect(names.full('n'.repeat(250))).toHaveLength(255);
    expect(() => names.full('n'.repeat(251))).toThrow(
      expect.objectContaining({
        code: 'bad-request',
        param: 'name',
        message: expect.stringMatching(/^name is "n+\.\.\." and namespace "acmé"; with 257 bytes .* 256$/) as string,
      }),
    );
    expect(() => names.prefix('n'.repeat(251))).toThrow(expect.objectContaining({ param: 'prefix' }));
    expect(() => namesIn(undefined).prefix('n'.repeat(257))).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^prefix is "n+\.\.\."; with 257 bytes it has/) as string,
      }),
    );
  });

  it.each(['', '.', '..', 'a\u0001', '\ud800'])('S10 a name %j is refused, whatever stands before it', (name) => {
    expect(() => namesIn('acme').full(name)).toThrow(expect.objectContaining({ code: 'bad-request', param: 'name' }));
  });

  it.each(['', '.', '..', '/', '/acme', 'acme/', 'a\u0007', '\ud800', 'n'.repeat(255), 7 as never])(
    'S10 a namespace %j is refused at connect',
    (namespace) => {
      const core = new ScriptedCore();
      expect(() => makeClient(() => core, 'ws://a.test', { WebSocket: FakeSocket, namespace })).toThrow(
        expect.objectContaining({
          code: 'bad-request',
          param: 'namespace',
          message: expect.stringMatching(/^namespace is /) as string,
        }),
      );
    },
  );

  it('the longest namespace leaves one byte for a name', () => {
    expect(namesIn('n'.repeat(254)).full('x')).toHaveLength(256);
  });
});

describe('a client with a namespace', () => {
  it('asks for full names, and shows people the others', async () => {
    const { core, client } = rig({ namespace: 'acme' });
    core.once('acquire', ({ key, terms }) => {
      core.leases.set(key, { ...SNAPSHOT, name: terms.shownAs ?? '' });
      return [{ kind: 'claim', key, outcome: { kind: 'granted', name: terms.name, fencingToken: 7 as never } }];
    });
    const lease = await client.acquire('printer');
    expect(core.heard('acquire')[0]?.terms).toMatchObject({ name: 'acme/printer', shownAs: 'printer' });
    expect(lease.name).toBe('printer');
    core.once('list', ({ reference, name }) => [
      {
        kind: 'settle',
        reference,
        outcome: { kind: 'views', views: [{ name: leaseName(name ?? ''), holders: [], queue: 2 }], next: undefined },
      },
    ]);
    expect(await client.inspect('printer')).toMatchObject({ name: 'printer', queue: 2 });
    expect(core.heard('list')).toMatchObject([{ name: 'acme/printer' }]);
    void client.run('a', () => undefined);
    expect(core.heard('acquire').at(-1)?.terms.name).toBe('acme/a');
  });
});

const SNAPSHOT = {
  fencingToken: 7 as never,
  ttlMs: 30_000,
  status: 'held',
  remainingMs: 27_000,
  ceilingLeftMs: 9e6,
  state: undefined,
  lossCode: undefined,
  attempts: [],
} as const;
