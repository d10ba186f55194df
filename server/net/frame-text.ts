import type { CoordinatorMessage } from '../../shared/frames.ts';

/** The messages as frames, in order: each at most `lengthMax` long, or one message. */
export function frameTexts(messages: readonly CoordinatorMessage[], lengthMax: number): readonly string[] {
  const frames: string[] = [];
  let parts: string[] = [];
  let length = 2;
  for (const message of messages) {
    const part = JSON.stringify(message);
    if (parts.length > 0 && length + part.length + 1 > lengthMax) {
      frames.push(frameOf(parts));
      parts = [];
      length = 2;
    }
    parts.push(part);
    length += part.length + 1;
  }
  if (parts.length > 0) frames.push(frameOf(parts));
  return frames;
}

const frameOf = (parts: readonly string[]): string => (parts.length === 1 ? (parts[0] ?? '') : `[${parts.join(',')}]`);
