import { NAME_BYTES_MAX } from './limits.ts';
import { isWellFormed, utf8Bytes } from './utf8.ts';

/**
 * Why `name` cannot be the name of a lease, in words, or null when it can.
 * A name is 1-256 bytes of well-formed UTF-8, compared byte for byte; no control characters; not `.` or `..`,
 * which a URL parser would remove from a path.
 */
export function nameProblem(name: string): string | null {
  if (name === '') return 'a name has at least 1 byte';
  if (name === '.' || name === '..') return '"." and ".." cannot be names, since a URL drops them';
  if (!isWellFormed(name)) return 'a name is well-formed Unicode, without a lone surrogate';
  if (hasControlCharacter(name)) return 'a name has no control characters';
  const bytes = utf8Bytes(name);
  return bytes > NAME_BYTES_MAX ? `a name has at most ${NAME_BYTES_MAX} bytes, this one has ${bytes}` : null;
}

function hasControlCharacter(name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const unit = name.charCodeAt(index);
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return true;
  }
  return false;
}
