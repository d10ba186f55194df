const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `500ms`, `30s`, `5m`, `1h` in milliseconds; null for anything else. A bare number says no unit and is refused, save 0. */
export function parseDuration(text: string): number | null {
  if (text === '0') return 0;
  const found = /^(\d{1,12})(ms|s|m|h)$/.exec(text);
  const unit = UNITS[found?.[2] ?? ''];
  if (found === null || unit === undefined) return null;
  const ms = Number(found[1]) * unit;
  return Number.isSafeInteger(ms) ? ms : null;
}

/** In the largest unit that needs no fraction. */
export function durationText(ms: number): string {
  if (ms === 0) return '0';
  for (const unit of ['h', 'm', 's']) {
    const length = UNITS[unit] ?? 1;
    if (ms % length === 0) return `${ms / length}${unit}`;
  }
  return `${ms}ms`;
}
