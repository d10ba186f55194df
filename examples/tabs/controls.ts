import { find } from './find.ts';
import type { Log } from './log.ts';
import { standStill, wasMadeMeanwhile } from './stand-still.ts';
import type { Standing } from './standing.ts';

const BLOCK_MS = 10_000;

/** What a person can do to a candidate. `block` is not on every page. */
export function wireControls({ candidate, pulse, diary }: Standing, log: Log, changed: () => void): void {
  document.addEventListener(
    'click',
    (click) => {
      if (!wasMadeMeanwhile(click)) return;
      click.preventDefault();
      click.stopImmediatePropagation();
    },
    // Before anything that it was made on.
    { capture: true },
  );
  const { network } = candidate;
  find('resign').addEventListener('click', () => void candidate.election.resign());
  document.getElementById('block')?.addEventListener('click', () => void standStill(pulse, BLOCK_MS, log));
  find('cut').addEventListener('click', ({ currentTarget }) => {
    if (network.isCut) network.mend();
    else network.cut();
    if (network.isCut) diary.stops('cut');
    else diary.goesOn('cut');
    log(network.isCut ? 'the network is cut: nothing goes out, nothing comes in' : 'the network is whole again');
    if (currentTarget instanceof HTMLElement) {
      currentTarget.setAttribute('aria-pressed', String(network.isCut));
      currentTarget.textContent = network.isCut ? 'Mend the network' : 'Cut the network';
    }
    changed();
  });
}
