import { LeaseError, type StatusChange } from 'leasehold';
import { expect, test } from 'vitest';
import { outagesInto } from '../../../examples/tabs/outages.ts';

function story(): { readonly lines: readonly string[]; readonly tell: (ms: number, status: Status) => void } {
  const lines: string[] = [];
  let nowMs = 0;
  const log = (text: string): ((anew: string) => void) => {
    const place = lines.push(text) - 1;
    return (anew) => void (lines[place] = anew);
  };
  const listen = outagesInto(log, () => nowMs);
  return {
    lines,
    tell: (ms, status) => {
      nowMs += ms;
      const error = status === 'backing-off' ? new LeaseError({ code: 'unavailable', message: 'closed' }) : null;
      listen({ status, error });
    },
  };
}
type Status = StatusChange['status'];

test('an outage is one line, written anew with each dial and once it is over', () => {
  const { lines, tell } = story();
  tell(0, 'connecting');
  tell(20, 'open');
  tell(900, 'backing-off');
  expect(lines).toEqual(['connected', 'no connection for 0.0 s, 0 dials: closed']);
  for (let dial = 1; dial <= 9; dial += 1) {
    tell(100, 'connecting');
    tell(50, 'backing-off');
  }
  expect(lines[1]).toBe('no connection for 1.4 s, 9 dials: closed');
  tell(100, 'connecting');
  tell(50, 'open');
  expect(lines).toEqual(['connected', 'no connection for 1.5 s, 10 dials; connected again']);
  tell(1_000, 'connecting');
  expect(lines.slice(2)).toEqual(['no connection for 0.0 s, 1 dial']);
});

test('a first connection that fails is an outage since its first dial', () => {
  const { lines, tell } = story();
  tell(0, 'connecting');
  expect(lines).toEqual([]);
  tell(300, 'backing-off');
  expect(lines).toEqual(['no connection for 0.3 s, 1 dial: closed']);
  tell(100, 'closed');
  expect(lines).toEqual(['no connection for 0.3 s, 1 dial: closed', 'connection: closed']);
});
