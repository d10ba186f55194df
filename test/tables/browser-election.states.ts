import type { CandidateEffect, CandidateEvent, Phase } from '../../client/browser/machine.ts';
import { always, type Cell, type Table } from './client-table.ts';

type State = Phase['kind'];
type Effect = CandidateEffect['kind'];

export const BROWSER_VARIATIONS = {
  granted: [''],
  stolen: ['', 'within a second, for the fifth time in a row'],
  failed: ['for now', 'for good'],
  asked: ['', 'before it is known which client of the browser it is'],
  heard: ['of another leader', 'of the same leader'],
  'heard-over': ['of the leader', 'of another'],
  'heard-moved': [''],
  looked: [
    'about whoever has the lock',
    'about one that has not got the lock',
    'the leader has the lock',
    'another has the lock',
    'nobody has the lock',
    'it has the lock itself, for the first time',
    'it has the lock itself, as before',
  ],
  due: [''],
  away: [''],
  back: [''],
  resign: ['', 'within a second, for the fifth time in a row'],
  stop: [''],
} as const satisfies Record<CandidateEvent['kind'], readonly string[]>;

const cell = (next: State, why: string, ...effects: Effect[]): Cell<State, Effect> => ({ next, effects, why });
const ENDS = ['ended', 'deposed', 'leader', 'free', 'tell-over'] as const;
const STANDS = ['request', 'ask', 'look'] as const;
const NOT_ITS = 'ignored: it has not got the lock';
const NO_PAUSE = 'ignored: it does not pause';
const HERE = 'ignored: the page is there';
const LEADS = 'ignored: it leads until the browser says otherwise';
const RESTS = 'ignored: it does not stand';
const PACED = 'paced: grant and end without end would keep the page busy';

const resting = (next: 'pausing' | 'away') => ({
  ...always(BROWSER_VARIATIONS, cell(next, RESTS)),
  stop: { '': cell('stopped', 'it had asked for nothing', 'leave') },
});

export const BROWSER_STATES: Table<State, typeof BROWSER_VARIATIONS, Effect> = {
  standing: {
    granted: { '': cell('leading', 'it leads, and finds out who it is to the browser', 'elected', 'leader', 'look') },
    stolen: {
      '': cell('standing', NOT_ITS),
      'within a second, for the fifth time in a row': cell('standing', NOT_ITS),
    },
    failed: {
      'for now': cell('pausing', 'it asks again later', 'leader', 'pause'),
      'for good': cell('refused', 'asking again changes nothing', 'leader', 'leave'),
    },
    asked: {
      '': cell('standing', 'ignored: whoever leads answers'),
      'before it is known which client of the browser it is': cell('standing', 'ignored: whoever leads answers'),
    },
    heard: {
      'of another leader': cell('standing', 'not believed before the browser was asked', 'look'),
      'of the same leader': cell('standing', 'ignored: it was held against the browser once'),
    },
    'heard-over': {
      'of the leader': cell('standing', 'nobody is known to lead; the queue has moved', 'leader', 'look'),
      'of another': cell('standing', 'the queue has moved', 'look'),
    },
    'heard-moved': { '': cell('standing', 'the queue has moved', 'look') },
    looked: {
      'about whoever has the lock': cell('standing', 'told once', 'leader'),
      'about one that has not got the lock': cell('standing', 'not believed'),
      'the leader has the lock': cell('standing', 'only its place is shown'),
      'another has the lock': cell('standing', 'nothing is believed of a leader whose lock is gone', 'leader'),
      'nobody has the lock': cell('standing', 'nothing is believed of a leader whose lock is gone', 'leader'),
      'it has the lock itself, for the first time': cell('standing', 'another candidate of this page has it', 'leader'),
      'it has the lock itself, as before': cell('standing', 'another candidate of this page has it', 'leader'),
    },
    due: { '': cell('standing', NO_PAUSE) },
    away: { '': cell('away', 'it keeps nobody from leading', 'leader', 'free', 'tell-moved', 'rest') },
    back: { '': cell('standing', HERE) },
    resign: {
      '': cell('standing', NOT_ITS),
      'within a second, for the fifth time in a row': cell('standing', NOT_ITS),
    },
    stop: { '': cell('stopped', 'out of the queue', 'leader', 'free', 'tell-moved', 'leave') },
  },
  leading: {
    granted: { '': cell('leading', 'ignored: it asks for nothing') },
    stolen: {
      '': cell('standing', 'it stands again at once, at the tail', ...ENDS, ...STANDS),
      'within a second, for the fifth time in a row': cell('pausing', PACED, ...ENDS, 'pause'),
    },
    failed: {
      'for now': cell('leading', 'ignored: it asks for nothing'),
      'for good': cell('leading', 'ignored: it asks for nothing'),
    },
    asked: {
      '': cell('leading', 'a newcomer is told', 'tell-leads'),
      'before it is known which client of the browser it is': cell('leading', 'all are told as soon as it is'),
    },
    heard: { 'of another leader': cell('leading', LEADS), 'of the same leader': cell('leading', LEADS) },
    'heard-over': { 'of the leader': cell('leading', LEADS), 'of another': cell('leading', LEADS) },
    'heard-moved': { '': cell('leading', 'ignored: it waits for nothing') },
    looked: {
      'about whoever has the lock': cell('leading', LEADS),
      'about one that has not got the lock': cell('leading', LEADS),
      'the leader has the lock': cell('leading', LEADS),
      'another has the lock': cell('leading', LEADS),
      'nobody has the lock': cell('leading', LEADS),
      'it has the lock itself, for the first time': cell('leading', 'all are told', 'tell-leads'),
      'it has the lock itself, as before': cell('leading', 'known already'),
    },
    due: { '': cell('leading', NO_PAUSE) },
    away: { '': cell('away', 'over before the page stops; people hear it before the lock is free', ...ENDS, 'rest') },
    back: { '': cell('leading', HERE) },
    resign: {
      '': cell('standing', 'it stands again at once, at the tail', ...ENDS, ...STANDS),
      'within a second, for the fifth time in a row': cell('pausing', PACED, ...ENDS, 'pause'),
    },
    stop: { '': cell('stopped', 'people hear it before the lock is free', ...ENDS, 'leave') },
  },
  pausing: {
    ...resting('pausing'),
    due: { '': cell('standing', 'the pause is over', ...STANDS) },
    away: { '': cell('away', 'it stands as soon as the page is back', 'rest') },
  },
  away: { ...resting('away'), back: { '': cell('standing', 'it stands again, at the tail', ...STANDS) } },
  stopped: always(BROWSER_VARIATIONS, cell('stopped', 'ignored: it is final')),
  refused: always(BROWSER_VARIATIONS, cell('refused', 'ignored: it is final')),
};
