import type { PreferenceEffect, PreferenceEvent, PreferencePhase } from '../../client/core/preference-machine.ts';
import type { Cell, Table } from './client-table.ts';

type State = PreferencePhase['kind'];
type Effect = PreferenceEffect['kind'];

/** `seen` in sight: of a candidate that was out of sight until then; the others likewise. */
export const PREFERENCE_VARIATIONS = {
  seen: ['in sight', 'out of sight', 'as before'],
  elected: [''],
  over: [''],
  asked: ['out of sight', 'out of sight, too early', 'in sight'],
  due: ['', 'early'],
  cut: [''],
} as const satisfies Record<PreferenceEvent['kind'], readonly string[]>;

const cell = (next: State, why: string, ...effects: Effect[]): Cell<State, Effect> => ({ next, effects, why });
const LEADS = 'the minimum hold counts from here';
const HIGHER = 'it asks with a higher priority from now on';
const LOWER = 'it asks with its own priority again';
const SAME = 'ignored: nothing has changed';
const NOT_LEADING = 'ignored: it does not lead';
const NOT_HOLDING = 'ignored: nothing is due';
const OVER = 'its lease is over, by whatever word: it stands again';
const NOTHING_ASKED = 'ignored: nothing that was asked is left to do';

const over = { over: { '': cell('standing', OVER) } } as const;
const elected = { elected: { '': cell('leading', LEADS) } } as const;
const notDue = (state: State) => ({ due: { '': cell(state, NOT_HOLDING), early: cell(state, NOT_HOLDING) } }) as const;
const amended = (state: State) =>
  ({
    seen: {
      'in sight': cell(state, HIGHER, 'amend'),
      'out of sight': cell(state, LOWER, 'amend'),
      'as before': cell(state, SAME),
    },
  }) as const;

export const PREFERENCE_STATES: Table<State, typeof PREFERENCE_VARIATIONS, Effect> = {
  standing: {
    ...amended('standing'),
    ...elected,
    ...over,
    asked: {
      'out of sight': cell('standing', NOT_LEADING),
      'out of sight, too early': cell('standing', NOT_LEADING),
      'in sight': cell('standing', NOT_LEADING),
    },
    ...notDue('standing'),
    cut: { '': cell('standing', NOTHING_ASKED) },
  },
  leading: {
    ...amended('leading'),
    ...elected,
    ...over,
    asked: {
      'out of sight': cell('standing', 'for the page in sight: belief ends, then the word leaves (R13)', 'resign'),
      'out of sight, too early': cell('holding', 'when it has led for 2,000 ms', 'wake'),
      'in sight': cell('leading', 'whoever is seen leads on; asked again when it goes out of sight'),
    },
    ...notDue('leading'),
    cut: { '': cell('leading', NOTHING_ASKED) },
  },
  holding: {
    seen: {
      'in sight': cell('leading', 'what was asked is over: it has the higher priority itself', 'amend'),
      'out of sight': cell('leading', 'it is out of sight whenever it waits for its minimum hold', 'amend'),
      'as before': cell('holding', SAME),
    },
    ...elected,
    ...over,
    asked: {
      'out of sight': cell('holding', 'ignored: asked already'),
      'out of sight, too early': cell('holding', 'ignored: asked already'),
      'in sight': cell('holding', 'ignored: asked already'),
    },
    due: {
      '': cell('standing', 'its minimum hold is over', 'resign'),
      early: cell('holding', 'a timer may be early', 'wake'),
    },
    cut: { '': cell('leading', 'without a connection it would make way for nobody; asked again behind the welcome') },
  },
};
