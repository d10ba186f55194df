import { describe, expect, it } from 'vitest';
import type { Field, Fields, FrameTable } from '../../../shared/frame-table.ts';
import { CLIENT_FRAMES, COORDINATOR_FRAMES } from '../../../shared/frames.ts';
import * as limits from '../../../shared/limits.ts';

function* fieldsOf(fields: Fields, path: string): Generator<readonly [string, Field]> {
  for (const [key, field] of Object.entries(fields)) {
    yield [`${path}.${key}`, field];
    if (field.kind === 'record') yield* fieldsOf(field.fields, `${path}.${key}`);
    if (field.kind === 'list' && field.item.kind === 'record') yield* fieldsOf(field.item.fields, `${path}.${key}`);
  }
}
const TABLES: readonly FrameTable[] = [CLIENT_FRAMES, COORDINATOR_FRAMES];
const all = TABLES.flatMap((table) => Object.entries(table).flatMap(([type, fields]) => [...fieldsOf(fields, type)]));

describe('the table of frames', () => {
  it('every message of the client may carry the number of its frame; hello must', () => {
    for (const [type, fields] of Object.entries(CLIENT_FRAMES))
      expect(fields.frame, type).toEqual(type === 'hello' ? { kind: 'frame' } : { kind: 'frame', optional: true });
  });

  it('R5 R8 every message that tells of a held lease names a frame', () => {
    for (const type of ['welcome', 'granted', 'renewed'] as const)
      expect(COORDINATOR_FRAMES[type].frame).toEqual({ kind: 'frame' });
    expect(COORDINATOR_FRAMES.ping.frame).toEqual({ kind: 'frame' });
  });

  it('every name of a duration ends in its unit, and nothing else does', () => {
    const durations = all.filter(([, { kind }]) => kind === 'duration').map(([path]) => path);
    const named = all.filter(([path, { kind }]) => path.endsWith('Ms') && kind !== 'number').map(([path]) => path);
    expect(durations.length).toBeGreaterThan(10);
    expect(named).toEqual(durations);
  });

  it('S11 everything that can grow has a bound', () => {
    const bounds = all.flatMap(([path, field]) =>
      field.kind === 'list' ? [[path, field.max]] : 'bytesMax' in field ? [[path, field.bytesMax]] : [],
    );
    expect(bounds.length).toBeGreaterThan(10);
    expect(bounds.filter(([, bound]) => !(Number(bound) <= limits.FRAME_BYTES_MAX))).toEqual([]);
  });
});

describe('limits agree with each other', () => {
  it('R6 a tick is at most half a listening step', () =>
    expect(limits.TICK_MS).toBeLessThanOrEqual(limits.LISTENING_STEP_MS / 2));
  it('R21 a session whose requests wait for the disk is pinged before its client gives up', () =>
    expect(limits.PING_PENDING_MS).toBeLessThan(limits.ANSWER_WITHIN_MS));
  it('R24 a lock-delay is at most 60 s', () => expect(limits.LOCK_DELAY_MS_MAX).toBe(60_000));
  it('a state fits a frame, a hello fits what is read before welcome', () => {
    expect(limits.STATE_BYTES_MAX).toBeLessThan(limits.FRAME_BYTES_MAX);
    expect(
      limits.CREDENTIAL_BYTES_MAX + limits.METADATA_BYTES_MAX + limits.LABEL_BYTES_MAX + 8 * limits.ID_BYTES_MAX,
    ).toBeLessThan(limits.HELLO_BYTES_MAX);
  });
  it('every default lies in its range', () => {
    expect(limits.TTL_MS_DEFAULT).toBeGreaterThanOrEqual(limits.TTL_MS_MIN);
    expect(limits.CONNECT_TIMEOUT_MS_DEFAULT).toBeLessThanOrEqual(limits.CONNECT_TIMEOUT_MS_MAX);
    expect(limits.BACKOFF_MS_MAX_DEFAULT).toBeLessThanOrEqual(limits.BACKOFF_MS_MAX_MOST);
    expect(limits.PING_MS_DEFAULT).toBeGreaterThan(limits.PING_MS_MIN);
  });
});
