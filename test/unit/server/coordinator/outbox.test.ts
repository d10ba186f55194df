import { describe, expect, test } from 'vitest';
import { outbox } from '../../../../server/core/coordinator/outbox.ts';
import { socketId } from '../../../../server/core/core-types.ts';
import { requestId } from '../../../../shared/ids.ts';

const A = socketId(1);
const B = socketId(2);
const gone = (request: string) => ({ type: 'gone', request: requestId(request) }) as const;

describe('the outbox', () => {
  test('R2 what one socket hears in a turn is one frame, in the order said', () => {
    const box = outbox();
    box.say(A, gone('1'));
    box.say(B, gone('2'));
    box.say(A, gone('3'));
    expect(box.take()).toEqual([
      { kind: 'send', socket: A, messages: [gone('1'), gone('3')] },
      { kind: 'send', socket: B, messages: [gone('2')] },
    ]);
    expect(box.take()).toEqual([]);
  });

  test('a close goes behind all that was said, and nothing behind it', () => {
    const box = outbox();
    box.say(A, gone('1'));
    box.close(A, 'replaced');
    box.say(A, gone('2'));
    box.close(A, 'draining');
    expect(box.take()).toEqual([
      { kind: 'send', socket: A, messages: [gone('1')] },
      { kind: 'close', socket: A, code: 'replaced', reason: 'replaced' },
    ]);
  });

  test('a cut begins a new frame', () => {
    const box = outbox();
    box.say(A, gone('1'));
    box.cut(A);
    box.say(A, gone('2'));
    expect(box.take()).toEqual([
      { kind: 'send', socket: A, messages: [gone('1')] },
      { kind: 'send', socket: A, messages: [gone('2')] },
    ]);
  });

  test('a frame has at most 1,000 messages', () => {
    const box = outbox();
    for (let index = 0; index < 2_001; index += 1) box.say(A, gone(`${index}`));
    expect(box.take().map((output) => output.kind === 'send' && output.messages.length)).toEqual([1_000, 1_000, 1]);
  });

  test('R15 what is held waits, in order, for its release alone; nothing is kept for a socket that is gone', () => {
    const box = outbox();
    box.hold(A);
    box.hold(B);
    for (const socket of [A, B]) box.say(socket, gone('1'));
    expect(box.take()).toEqual([]);
    box.say(A, gone('2'));
    box.forget(B);
    box.release(A);
    box.release(B);
    expect(box.take()).toEqual([{ kind: 'send', socket: A, messages: [gone('1'), gone('2')] }]);
  });
});
