/** Bytes of `text` in UTF-8; a lone surrogate counts 3, as the replacement character it would become. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** Whether every surrogate in `text` has its partner, so that it survives UTF-8 unchanged. */
export function isWellFormed(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (isLowSurrogate(unit)) return false;
    if (!isHighSurrogate(unit)) continue;
    if (!isLowSurrogate(text.charCodeAt(index + 1))) return false;
    index += 1;
  }
  return true;
}

/** The longest beginning of `text` that is at most `bytesMax` bytes; never cuts a character in two. */
export function cutToBytes(text: string, bytesMax: number): string {
  if (utf8Bytes(text) <= bytesMax) return text;
  let cut = '';
  let bytes = 0;
  for (const character of text) {
    bytes += utf8Bytes(character);
    if (bytes > bytesMax) break;
    cut += character;
  }
  return cut;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
