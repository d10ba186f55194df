/** The switch "the tab in sight leads": one for all tabs, kept for those that are opened later. */
import type { Candidate } from './candidate.ts';
import { find } from './find.ts';
import type { Log } from './log.ts';
import type { Together } from './together/together.ts';

const KEY = 'leasehold.examples.tabs.prefer';

export function offerPreference(candidate: Candidate, together: Together, log: Log): void {
  const box = find('prefer');
  if (!(box instanceof HTMLInputElement)) return;
  const stand = (isVisible: boolean): void => {
    box.checked = isVisible;
    candidate.standAgain(isVisible ? { prefer: 'visible' } : {}).then(
      () => log(isVisible ? 'from now on the tab in sight leads' : 'from now on it does not matter who is in sight'),
      (error: unknown) => log(String(error), 'bad'),
    );
  };
  box.addEventListener('change', () => {
    keep(box.checked);
    together.prefer(box.checked);
    stand(box.checked);
  });
  together.onHeard = (message) => {
    if (message.kind === 'prefer' && message.isVisible !== box.checked) stand(message.isVisible);
  };
  if (isKept()) stand(true);
}

function keep(isVisible: boolean): void {
  try {
    if (isVisible) localStorage.setItem(KEY, 'yes');
    else localStorage.removeItem(KEY);
  } catch {
    // A browser that stores nothing for this page: the switch then holds for the tabs that are open.
  }
}

function isKept(): boolean {
  try {
    return localStorage.getItem(KEY) === 'yes';
  } catch {
    return false;
  }
}
