/** A cell of a client's table: what becomes of a state when an event meets it, and why. */
export interface Cell<State extends string, Effect extends string> {
  readonly next: State;
  readonly effects: readonly Effect[];
  readonly why: string;
}

/** How an event can matter: each kind in one or more variations. */
export type Variations = Readonly<Record<string, readonly string[]>>;

/** Every state with every event in every variation: a missing cell does not compile. */
export type Table<State extends string, V extends Variations, Effect extends string> = Readonly<
  Record<State, { readonly [K in keyof V]: Readonly<Record<V[K][number], Cell<State, Effect>>> }>
>;

export interface Row {
  readonly state: string;
  readonly kind: string;
  readonly variation: string;
  readonly cell: Cell<string, string>;
}

/** All cells, in the order of the page. */
export function rowsOf(
  table: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Cell<string, string>>>>>>>,
): readonly Row[] {
  return Object.entries(table).flatMap(([state, events]) =>
    Object.entries(events).flatMap(([kind, variations]) =>
      Object.entries(variations).map(([variation, cell]) => ({ state, kind, variation, cell })),
    ),
  );
}

export function printed(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ state, kind, variation, cell: { next, effects, why } }) =>
      `| ${state} | ${kind}${variation === '' ? '' : `: ${variation}`} | ${next} | ${effects.join(', ')} | ${why} |`,
  );
  return ['| state | event | next | effects | why |', '| --- | --- | --- | --- | --- |', ...lines].join('\n');
}

/** The same cell for each variation of each event. */
export function always<State extends string, V extends Variations, Effect extends string>(
  variations: V,
  cell: Cell<State, Effect>,
): { readonly [K in keyof V]: Readonly<Record<V[K][number], Cell<State, Effect>>> } {
  const events = Object.entries(variations).map(([kind, of]) => [
    kind,
    Object.fromEntries(of.map((one) => [one, cell])),
  ]);
  // Built from the keys of the type itself.
  return Object.fromEntries(events) as { readonly [K in keyof V]: Readonly<Record<V[K][number], Cell<State, Effect>>> };
}
