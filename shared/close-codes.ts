/** WebSocket close codes (RFC 6455 section 7.4; 4000-4999 are ours) by the code that they carry. */
export const CLOSE_CODES = {
  closed: 1000,
  draining: 1001,
  'not-text': 1003,
  'bad-utf8': 1007,
  'frame-too-large': 1009,
  'bad-request': 4400,
  unauthorized: 4401,
  'origin-not-allowed': 4403,
  'host-not-allowed': 4404,
  'hello-timeout': 4408,
  replaced: 4409,
  'session-ended': 4410,
  'slow-consumer': 4413,
  version: 4426,
  'rate-limited': 4429,
  internal: 4500,
  unavailable: 4503,
  'too-many': 4529,
} as const;

export type ClosingCode = keyof typeof CLOSE_CODES;

/** The code that a close code carries, or null for one that says nothing (1005, 1006, a proxy's own). */
export function codeOfClose(closeCode: number): ClosingCode | null {
  const found = Object.entries(CLOSE_CODES).find(([, value]) => value === closeCode);
  return (found?.[0] ?? null) as ClosingCode | null; // `entries` forgets that the keys are those of the table.
}
