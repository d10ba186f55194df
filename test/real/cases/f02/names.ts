export interface Crowd {
  readonly sockets: number;
  readonly perSocket: number;
  readonly ttlMs: number;
}

export const prefixOf = (socket: number): string => `dying/${socket}/`;
export const nameOf = (socket: number, lease: number): string => `${prefixOf(socket)}${lease}`;
export const socketOf = (name: string): number => Number(name.split('/')[1]);

/** The least amount of ms that a value tells anywhere in it; Infinity where it tells none. */
export function leastMs(value: unknown): number {
  if (typeof value !== 'object' || value === null) return Infinity;
  return Object.entries(value).reduce(
    (least, [key, one]: [string, unknown]) =>
      Math.min(least, key.endsWith('Ms') && typeof one === 'number' ? one : leastMs(one)),
    Infinity,
  );
}
