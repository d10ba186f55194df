/** SVG as text. What is given as text or as an attribute is escaped here and nowhere else. */
export type Attributes = Readonly<Record<string, string | number>>;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML has no way to say most control characters: they are left out. */
const escaped = (text: string): string =>
  text.replace(/[^\P{Cc}\t\n]|[\ufffe\uffff]/gu, '').replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);

/** A tenth of a unit is less than anyone sees. */
export const rounded = (value: number): number => Math.round(value * 10) / 10;

export function element(tag: string, attributes: Attributes, children: readonly string[] = []): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    const text = typeof value === 'number' ? String(rounded(value)) : escaped(value);
    return ` ${key}="${text}"`;
  });
  const opened = `<${tag}${written.join('')}`;
  return children.length === 0 ? `${opened}/>` : `${opened}>${children.join('')}</${tag}>`;
}

export const text = (words: string, attributes: Attributes): string => element('text', attributes, [escaped(words)]);

/** What a pointer that rests on the element is told. */
export const title = (words: string): string => element('title', {}, [escaped(words)]);

/** Of text in the font of the picture, on the generous side: nobody knows which of the stack is there. */
export const widthOf = (words: string, size: number): number => words.length * size * 0.6;

export const clock = (ms: number): string => {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

export const exactly = (ms: number): string => {
  const minutes = Math.floor(ms / 60_000);
  return `${minutes}:${((ms - minutes * 60_000) / 1_000).toFixed(3).padStart(6, '0')}`;
};
