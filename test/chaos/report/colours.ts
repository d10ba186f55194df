/**
 * Colours of clients: a hue for each process, and a lighter or darker one for each further client of it. The hues are
 * those of Paul Tol's "light" scheme, which people who see colours differently can tell apart, and on all of them dark
 * text can be read.
 */
const HUES = ['#77aadd', '#ee8866', '#44bb99', '#eedd88', '#ffaabb', '#99ddff', '#bbcc33', '#aaaa00'] as const;
const SHADES = [0, 0.45, -0.25, 0.7] as const;

/** `p2b.7` is client `b` of process `p2`, for the seventh time. */
const LABEL = /^(.*?)([a-z]?)(?:\.\d+)?$/;

/** The client without the number of its process's life: what has one colour. */
export const familyOf = (client: string): string => client.replace(/\.\d+$/, '');

/** A client or a process: both begin with what a process is called. */
export function processOf(client: string): string {
  const [, before = '', letter = ''] = LABEL.exec(client) ?? [];
  return /\d$/.test(before) ? before : before + letter;
}

/** Of each client by its family, and of each process by its name. */
export function coloursOf(clients: readonly string[]): ReadonlyMap<string, string> {
  const processes = new Map<string, string[]>();
  // Sorted: the colours are the same in each run, whoever comes first.
  for (const family of [...new Set(clients.map(familyOf))].toSorted()) {
    const process = processOf(family);
    processes.set(process, [...(processes.get(process) ?? []), family]);
  }
  const colours = new Map<string, string>();
  for (const [index, [process, families]] of [...processes].entries()) {
    const hue = HUES[index % HUES.length] ?? HUES[0];
    colours.set(process, hue);
    for (const [place, family] of families.entries())
      colours.set(family, shaded(hue, SHADES[place % SHADES.length] ?? 0));
  }
  return colours;
}

/** Towards white where `by` is above 0, towards black where it is below. */
function shaded(hue: string, by: number): string {
  const towards = by > 0 ? 255 : 0;
  const parts = [1, 3, 5].map((at) => Number.parseInt(hue.slice(at, at + 2), 16));
  return `#${parts.map((part) => hex(part + (towards - part) * Math.abs(by))).join('')}`;
}

const hex = (part: number): string => Math.round(part).toString(16).padStart(2, '0');
