import type { Happening, PauseKind, What } from './happenings.ts';

/** What one tab writes down of itself. */
export class Diary {
  /** Of this tab: labels are for people, and two may have the same. */
  readonly tab = Math.random().toString(36).slice(2);
  readonly label: string;
  readonly #write: (happening: Happening) => void;
  #number = 0;
  /** The last that was heard of who leads. */
  #heard: number | null = null;

  constructor(label: string, write: (happening: Happening) => void) {
    this.label = label;
    this.#write = write;
    this.write({ kind: 'opened' });
  }

  write(what: What, atMs: number = Date.now()): void {
    this.#number += 1;
    this.#write({ ...what, tab: this.tab, label: this.label, number: this.#number, atMs });
  }

  /** Who leads, as somebody told this tab; `heldForMs` ago it began. */
  heard(leader: { readonly label: string; readonly fencingToken: number; readonly heldForMs: number } | null): void {
    const token = leader?.fencingToken ?? null;
    if (token === this.#heard) return;
    this.#heard = token;
    this.write({ kind: 'heard', token, by: leader?.label ?? '', sinceMs: Date.now() - (leader?.heldForMs ?? 0) });
  }

  /** It stood still from then until now. */
  stood(fromMs: number): void {
    this.write({ kind: 'stopped', how: 'still' }, fromMs);
    this.write({ kind: 'went-on', how: 'still' });
  }

  stops(how: PauseKind): void {
    this.write({ kind: 'stopped', how });
  }

  goesOn(how: PauseKind): void {
    this.write({ kind: 'went-on', how });
  }
}
