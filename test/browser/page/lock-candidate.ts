import type { BrowserElection } from 'leasehold';

/** A candidate of one browser in a page, and what it tells: it is put into a page that is there already. */
declare global {
  // Called by the harness.
  var candidate: Candidate;
  // The binding that the harness adds, by this name.
  var tellCandidate: (text: string) => void;
}

interface Candidate {
  stand(name: string, label: string): Promise<void>;
  stop(): Promise<void>;
}

/** What is so at an instant of the page's clock. They are numbered, since one that was put away tells them all again. */
export interface CandidateTold {
  readonly index: number;
  readonly atMs: number;
  readonly status: string;
  readonly isLeader: boolean;
  readonly position: number | null;
  readonly leader: string | null;
}

/** Nobody listens there: whoever dials is found out by the page's policy. */
const NOWHERE = 'ws://127.0.0.1:9';
const told: string[] = [];
let election: BrowserElection | null = null;

globalThis.candidate = {
  async stand(name, label) {
    const { connect } = await import('leasehold');
    const own = connect(NOWHERE, { label }).elect(name, { scope: 'browser' });
    election = own;
    const tell = (): void => {
      const { status, isLeader, position, leader } = own.getSnapshot();
      const so = { atMs: performance.now(), status, isLeader, position, leader: leader?.label ?? null };
      const text = JSON.stringify({ index: told.length, ...so } satisfies CandidateTold);
      told.push(text);
      tellCandidate(text);
    };
    // What was told while the page was put away did not arrive.
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) told.forEach((text) => tellCandidate(text));
    });
    own.subscribe(tell);
    // Before any listener of the library: what is read then was so as the page went on.
    document.addEventListener('resume', tell, { capture: true });
    tell();
  },
  stop: async () => election?.stop(),
};
