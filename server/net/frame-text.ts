import type { CoordinatorMessage } from '../../shared/frames.ts';

/** The messages as one frame; null when it would be longer than `lengthMax`, told before it has been built. */
export function frameText(messages: readonly CoordinatorMessage[], lengthMax: number): string | null {
  const parts: string[] = [];
  let length = 0;
  for (const message of messages) {
    const part = JSON.stringify(message);
    length += part.length + 1;
    if (length > lengthMax) return null;
    parts.push(part);
  }
  return parts.length === 1 ? (parts[0] ?? '') : `[${parts.join(',')}]`;
}
