import { describe, expect, test } from 'vitest';
import { checkMessage } from '../../../shared/frame-check.ts';
import { COORDINATOR_FRAMES } from '../../../shared/frames.ts';
import { granted, held, holding, MARGIN_MS, renewed, Script, TOKEN, TTL_MS } from './script.ts';

/** The id of the newest renewal. */
const lastRenewal = (script: Script): string => script.all('renew').at(-1)?.request ?? 'none';

describe('docs/PROTOCOL.md: leases', () => {
  test('P-4 a window counts from the sending of its anchor, not from the receipt of the grant', () => {
    const script = new Script();
    const key = script.acquire();
    script.welcome();
    const { frame } = script;
    script.pass(800);
    script.receive([granted(frame)]);
    expect(script.lease(key)).toMatchObject({ status: 'held', remainingMs: TTL_MS - 800 - MARGIN_MS });
  });

  test('P-4 a renewal that was answered late counts from its sending too', () => {
    const { script, key } = holding();
    script.pass(6_700);
    const { frame } = script;
    const sentMs = script.sent.at(-1)?.atMs ?? 0;
    script.pass(300);
    script.receive([renewed(lastRenewal(script), frame)]);
    expect(script.lease(key)?.remainingMs).toBe(sentMs + TTL_MS - MARGIN_MS - script.nowMs);
  });

  test.each([
    ['whose window is over on arrival', (frame: number) => granted(frame, { leftMs: 700 })],
    ['whose frame has no stamp', (frame: number) => granted(frame + 1_000)],
  ])('P-5 a grant %s is renewed before it is believed', (_, grant) => {
    const script = new Script();
    const key = script.acquire();
    script.welcome();
    script.pass(800);
    script.receive([grant(script.frame)]);
    expect(script.effects.some((effect) => effect.kind === 'claim')).toBe(false);
    expect(script.lease(key)?.status ?? 'none').not.toBe('held');
    expect(script.all('acquire').length + script.all('renew').length).toBe(2);
  });

  test('P-6 belief ends at the deadline less the stop margin, without any network', () => {
    const { script, key } = holding();
    script.close();
    script.reachable = false;
    script.pass(TTL_MS - MARGIN_MS - 1);
    expect(script.lease(key)?.status).not.toBe('lost');
    script.pass(1);
    expect(script.lease(key)).toMatchObject({ status: 'lost', lossCode: 'missed-ack', remainingMs: 0 });
  });

  test('P-7 after a sleep only the answer to a frame sent since confirms the lease', () => {
    const { script, key } = holding();
    script.pass(6_700);
    const [before, beforeFrame] = [lastRenewal(script), script.frame];
    script.sleep(60_000);
    expect(script.lease(key)?.status).toBe('at-risk');
    script.receive([renewed(before, beforeFrame)]);
    expect(script.lease(key)?.status).toBe('at-risk');
    // Asked again at once when the doubt began.
    expect(lastRenewal(script)).not.toBe(before);
    script.receive([renewed(lastRenewal(script), script.frame)]);
    expect(script.lease(key)?.status).toBe('held');
  });

  test('P-7 a doubt that is not answered within 1 s is loss', () => {
    const { script, key } = holding();
    script.sleep(60_000);
    expect(script.lease(key)?.status).toBe('at-risk');
    script.pass(999);
    expect(script.lease(key)?.status).toBe('at-risk');
    script.pass(1);
    expect(script.lease(key)?.status).toBe('lost');
  });

  test('P-10 a lease is released for its holder before the release is handed to the socket', () => {
    const { script, key } = holding();
    script.release(key);
    const kinds = script.effects.map((effect) => (effect.kind === 'lease' ? effect.news.kind : effect.kind));
    const sending = script.effects.findIndex(
      (effect) => effect.kind === 'send' && effect.messages.some((message) => message.type === 'release'),
    );
    expect(sending).toBeGreaterThan(-1);
    expect(kinds.indexOf('released')).toBeLessThan(sending);
    expect(kinds).toContain('released');
  });

  test('P-10 and P-11 a lease that is ended is lost before endAck is handed to the socket', () => {
    const { script, key } = holding();
    script.receive([{ type: 'ended', name: 'printer', fencingToken: TOKEN, code: 'revoked' }]);
    expect(script.lease(key)).toMatchObject({ status: 'lost', lossCode: 'revoked' });
    expect(script.all('endAck')).toMatchObject([{ name: 'printer', fencingToken: TOKEN }]);
    const lost = script.effects.findIndex((effect) => effect.kind === 'lease' && effect.news.kind === 'lost');
    const sending = script.effects.findIndex(
      (effect) => effect.kind === 'send' && effect.messages.some((message) => message.type === 'endAck'),
    );
    expect(lost).toBeLessThan(sending);
  });

  test('P-11 no later message brings an ended token back', () => {
    const { script, key } = holding();
    script.pass(6_700);
    const [request, frame] = [lastRenewal(script), script.frame];
    script.receive([{ type: 'ended', name: 'printer', fencingToken: TOKEN, code: 'stolen' }]);
    script.receive([renewed(request, frame), granted(frame)]);
    expect(script.lease(key)?.status ?? 'lost').toBe('lost');
    expect(script.effects.filter((effect) => effect.kind === 'claim')).toHaveLength(1);
  });

  test.each(['expired', 'superseded', 'revoked', 'stolen', 'ceiling', 'forbidden'])(
    'P-14 a renewal refused with %s is not sent again',
    (code) => {
      const { script, key } = holding();
      script.pass(6_700);
      const refusal = { name: 'printer', fencingToken: TOKEN, code };
      script.receive([renewed(lastRenewal(script), script.frame, refusal)]);
      expect(script.lease(key)?.status).toBe('lost');
      const before = script.all('renew').length;
      script.pass(30_000);
      expect(script.all('renew')).toHaveLength(before);
    },
  );

  test('P-16 unknown fields are ignored, and an unknown type is told apart from a bad message', () => {
    const { script, key } = holding();
    script.pass(6_700);
    script.receive([
      { ...renewed(lastRenewal(script), script.frame, held(TTL_MS, { colour: 'red' })), shape: 'round' },
    ]);
    expect(script.lease(key)?.remainingMs).toBeGreaterThan(TTL_MS - MARGIN_MS - 1_000);
    expect(checkMessage(COORDINATOR_FRAMES, { type: 'confetti' })).toMatchObject({ ok: false, code: 'unknown-type' });
  });
});
