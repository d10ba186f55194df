import { describe, expect, it } from 'vitest';
import { CLOSE_CODES, codeOfClose } from '../../../shared/close-codes.ts';
import { CODES, PERMANENT_RENEWAL_CODES, type Code } from '../../../shared/codes.ts';
import { ID_BYTES_MAX } from '../../../shared/limits.ts';

const codes = Object.keys(CODES) as Code[];

describe('the registry of codes', () => {
  it('says of each code what happened, whose fault it is and what to do, and fits a frame', () => {
    for (const code of codes) {
      const { meaning, cure, http, exit } = CODES[code];
      expect(code).toMatch(/^[a-z][a-z0-9-]*[a-z0-9]$/);
      expect(code.length).toBeLessThanOrEqual(ID_BYTES_MAX);
      for (const text of [meaning, cure]) expect(text, code).toMatch(/^[A-Z].*\.$/s);
      expect(http, code).toBeGreaterThanOrEqual(400);
      expect(http, code).toBeLessThan(600);
      expect([64, 69, 70, 75, 76, 77], code).toContain(exit);
    }
  });

  it("S10 what is nobody but the caller's to correct is not retried by itself", () => {
    for (const code of [
      'bad-request',
      'forbidden',
      'unauthorized',
      'version',
      'refused',
      'origin-not-allowed',
      'host-not-allowed',
      'already-held',
      'mode-conflict',
    ] as const)
      expect(CODES[code].retryable, code).toBe(false);
    for (const code of ['unavailable', 'queue-full', 'quiet', 'draining', 'rate-limited'] as const)
      expect(CODES[code].retryable, code).toBe(true);
  });

  it('a renewal that is refused for good has a code of the registry', () => {
    for (const code of PERMANENT_RENEWAL_CODES) expect(codes).toContain(code);
  });
});

describe('close codes', () => {
  it('and the registry agree, both ways', () => {
    for (const code of codes)
      expect(CODES[code].close, code).toBe(code in CLOSE_CODES ? CLOSE_CODES[code as keyof typeof CLOSE_CODES] : null);
    for (const code of Object.keys(CLOSE_CODES)) expect(codes).toContain(code);
  });

  it('are each of one code, and may be sent: 1000-1011 of the standard, or 4000-4999', () => {
    const values = Object.values(CLOSE_CODES);
    expect(new Set(values).size).toBe(values.length);
    for (const value of values)
      expect([1000, 1001, 1003, 1007, 1009].includes(value) || (value >= 4_000 && value <= 4_999), `${value}`).toBe(
        true,
      );
  });

  it('lead back to their code', () => {
    for (const [code, value] of Object.entries(CLOSE_CODES)) expect(codeOfClose(value)).toBe(code);
  });

  it.each([[0], [1005], [1006], [1011], [3_000], [4_999], [-1], [NaN]])('%d says nothing', (value) =>
    expect(codeOfClose(value)).toBeNull(),
  );
});
