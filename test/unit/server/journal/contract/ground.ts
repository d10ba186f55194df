import type { DurableEvent, Journal, JournalContents } from '../../../../../server/core/journal-port.ts';

/** Where one kind of journal stores: journals opened on it one after another find what the last one left. */
export interface Place {
  open(): Journal;
  remove(): Promise<void>;
}

/** What the contract's tests stand on: one place after another, and runs on it. */
export interface Ground {
  /** A journal at the present place, not loaded yet. */
  open(): Journal;
  /** One run at the present place: loads, appends the batches, closes; gives what it loaded. */
  run(...batches: (readonly DurableEvent[])[]): Promise<JournalContents>;
  /** Another place in the stead of the present one. */
  anew(): Promise<void>;
  leave(): Promise<void>;
}

export function makeGround(makePlace: () => Promise<Place>): Ground {
  let place: Place | null = null;
  const open = (): Journal => {
    if (place === null) throw new Error('the ground has no place yet');
    return place.open();
  };
  const leave = async (): Promise<void> => {
    await place?.remove();
    place = null;
  };
  return {
    open,
    async run(...batches) {
      const journal = open();
      const contents = await journal.load();
      for (const [index, events] of batches.entries()) {
        await journal.append({ sequence: contents.sequence + index + 1, events });
      }
      await journal.close();
      return contents;
    },
    async anew() {
      await leave();
      place = await makePlace();
    },
    leave,
  };
}
