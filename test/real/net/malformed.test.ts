import { afterEach, describe, expect, test } from 'vitest';
import { RawClient } from '../support/raw-client.ts';
import { eventually } from '../support/waiting.ts';
import { start, stopAll } from './support/coordinators.ts';
import { hello, rawFrame, Stranger, textFrame } from './support/stranger.ts';

afterEach(stopAll);

const HOLDERS = 50;

/** What a stranger sends, and the code that its socket is closed with; null: it stays open and hears of its request. */
const OFFENCES: Readonly<Record<string, readonly [bytes: Buffer, closed: number | null]>> = {
  null: [textFrame('null'), 4400],
  'a number': [textFrame('1'), 4400],
  'an empty list': [textFrame('[]'), 4400],
  'an empty object': [textFrame('{}'), 4400],
  'broken JSON': [textFrame(']'), 4400],
  'a type that is no text': [textFrame('{"type":5}'), 4400],
  'no text at all': [textFrame(''), 4400],
  '200-deep nesting': [textFrame(`{"frame":2,"x":${'['.repeat(200)}${']'.repeat(200)}}`), 4400],
  'an unknown type': [textFrame('{"type":"nothing","frame":2,"request":"r"}'), null],
  'a built-in name as type': [textFrame('{"type":"constructor","frame":2,"request":"r"}'), null],
  'a type and no field': [textFrame('{"type":"acquire","frame":2,"request":"r"}'), null],
  'a second hello': [textFrame(hello({ frame: 2, request: 'r' })), null],
  'invalid UTF-8': [rawFrame(0x81, Buffer.of(0xc3, 0x28)), 1007],
  binary: [rawFrame(0x82, Buffer.of(1, 2, 3)), 1003],
  'RSV2 set': [rawFrame(0xa1, Buffer.from('{}')), 1002],
  'an unmasked frame': [rawFrame(0x81, Buffer.from('{}'), false), 1002],
  'close code 5': [rawFrame(0x88, Buffer.of(0, 5)), 1002],
  'a reserved opcode': [rawFrame(0x83, Buffer.of(1)), 1002],
  'a continuation of nothing': [rawFrame(0x80, Buffer.from('x')), 1002],
  'a ping of 126 bytes': [rawFrame(0x89, Buffer.alloc(126)), 1002],
  'stray bytes': [Buffer.from('\r\n\r\n\r\n'), 1002],
};

/** The close code, or what it was told where it stays open. */
async function offend(port: number, afterHello: boolean, bytes: Buffer, staysOpen: boolean): Promise<number | string> {
  const stranger = await Stranger.upgrade(port);
  if (afterHello) {
    stranger.send(textFrame(hello()));
    await stranger.toldOf('"welcome"');
  }
  stranger.send(bytes);
  const outcome = await (staysOpen ? stranger.toldOf('"error"') : stranger.closeCode());
  stranger.stream.destroy();
  return outcome;
}

describe('S11 malformed frames', () => {
  test('S11 F16 each offender gets its code, before and after hello, and no healthy holder notices', async () => {
    const { url, port, coordinator, lines } = await start();
    const holders = await Promise.all(
      Array.from({ length: HOLDERS }, async (_, index) => {
        const { client } = await RawClient.welcome(url);
        client.send({ type: 'acquire', request: 'r', name: `jobs/${index}`, ttlMs: 2_000 });
        const granted = await client.take('granted');
        return { client, name: `jobs/${index}`, fencingToken: granted['fencingToken'] ?? 0 };
      }),
    );
    const renewing = setInterval(() => {
      for (const { client, name, fencingToken } of holders)
        client.send({ type: 'renew', request: 'n', leases: [{ name, fencingToken }] });
    }, 500);

    for (const afterHello of [false, true]) {
      for (const [offence, [bytes, closed]] of Object.entries(OFFENCES)) {
        // A second hello is a first one to whoever said none.
        if (offence === 'a second hello' && !afterHello) continue;
        const staysOpen = closed === null && afterHello;
        const outcome = await offend(port, afterHello, bytes, staysOpen);
        const expected = staysOpen ? /"request":"r"/ : new RegExp(`^${closed ?? 4400}$`);
        expect(String(outcome), `${offence}, ${afterHello ? 'after' : 'before'} hello`).toMatch(expected);
      }
    }

    clearInterval(renewing);
    expect(coordinator.status.leases).toBe(HOLDERS);
    for (const { client, name, fencingToken } of holders) {
      client.send({ type: 'release', request: 'end', name, fencingToken });
      expect(await client.take('released')).toMatchObject({ released: true });
      expect(client.received.filter(({ message }) => message['type'] === 'ended')).toEqual([]);
      client.close();
    }
    await eventually(() => (coordinator.status.connections === 0 ? true : null), 3_000, 'all connections are gone');
    // At most 10 a second are written, so that is what a quick run leaves.
    expect(lines.length).toBeGreaterThanOrEqual(10);
  });

  test('S11 F16 half a message is neither passed on nor kept for ever', async () => {
    const { port, coordinator } = await start({ limits: { helloWithinMs: 300 } });
    const stranger = await Stranger.upgrade(port);
    stranger.send(rawFrame(0x01, Buffer.from('{"type":')));
    expect(await stranger.closeCode()).toBe(4408);
    await stranger.gone(2_000);
    expect(coordinator.status.connections).toBe(0);
  });

  test('S11 F16 what strangers do is logged in short lines, at most ten a second', async () => {
    const { port, lines } = await start();
    const strangers = await Promise.all(Array.from({ length: 60 }, () => Stranger.upgrade(port)));
    for (const stranger of strangers) stranger.send(textFrame('null'));
    await Promise.all(strangers.map((stranger) => stranger.closeCode()));
    expect(lines.length).toBeGreaterThanOrEqual(1);
    expect(lines.length).toBeLessThanOrEqual(30);
    for (const line of lines) expect(line.length).toBeLessThan(300);
    for (const stranger of strangers) stranger.stream.destroy();
  });
});
