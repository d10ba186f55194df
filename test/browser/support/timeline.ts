import type { Page } from 'puppeteer-core';

/** One line of the table below the picture; times by the machine's clock. */
export interface Row {
  readonly label: string;
  /** As it is written: `…840`; empty for what is no reign. */
  readonly token: string;
  readonly fromMs: number;
  /** Null: it lasts. */
  readonly toMs: number | null;
  readonly what: string;
}

/** One bar of the picture, in pixels. */
export interface Bar {
  readonly token: string;
  readonly left: number;
  readonly right: number;
  /** The mark at its end, if it has one. */
  readonly mark: string | null;
}

export interface Drawn {
  /** Oldest first. */
  readonly rows: readonly Row[];
  readonly bars: readonly Bar[];
  readonly heads: readonly string[];
  readonly story: string;
}

/** What the timeline of a page shows, read in one turn, so that all of it is of one moment. */
export const drawnIn = (page: Page): Promise<Drawn> =>
  page.evaluate(() => {
    const timeIn = (cell: Element | undefined): number | null => {
      const time = cell?.querySelector('time');
      return time === null || time === undefined ? null : Date.parse(time.dateTime);
    };
    const rows = [...document.querySelectorAll('#rows tr')].map(({ children: cells }) => ({
      label: cells[0]?.textContent ?? '',
      token: cells[1]?.textContent ?? '',
      fromMs: timeIn(cells[2]) ?? Number.NaN,
      toMs: timeIn(cells[3]),
      what: cells[4]?.textContent ?? '',
    }));
    const bars = [...document.querySelectorAll<SVGElement>('#paper .reign')].map((bar) => {
      const numberOf = (name: string): number => Number(bar.querySelector('rect')?.getAttribute(name));
      const [left, right] = [numberOf('x'), numberOf('x') + numberOf('width')];
      const token = bar.dataset['token'] ?? '';
      const end = document.querySelector<SVGElement>(`#paper .end[data-token="${token}"] .mark`);
      return { token: `…${token.slice(-3)}`, left, right, mark: end?.dataset['mark'] ?? null };
    });
    const heads = [...document.querySelectorAll('#heads li')].map(
      (head) => `${head.children[1]?.textContent}: ${head.children[2]?.textContent}`,
    );
    return { rows: rows.toReversed(), bars, heads, story: document.getElementById('story')?.textContent ?? '' };
  });
