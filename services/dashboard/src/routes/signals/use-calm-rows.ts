import type { SignalListItem } from '@sigcast/client';
import { useState } from 'react';

type Rows = readonly SignalListItem[];

/**
 * Keeps the rows of a list in their places while somebody reads them: points at them, or goes through them by keyboard. Their
 * figures follow; new signals wait until the reader asks for them or leaves the list.
 * @param list what is listed: another list is shown at once.
 */
export function useCalmRows(rows: Rows, list: string) {
  const [kept, setKept] = useState<{ readonly list: string; readonly rows: Rows } | null>(null);
  const isKept = kept?.list === list;
  return {
    rows: isKept ? calmRows(kept.rows, rows) : rows,
    waiting: isKept ? newIn(rows, kept.rows) : 0,
    hold: () => {
      if (!isKept) setKept({ list, rows });
    },
    release: () => setKept(null),
  };
}

/** The rows that are shown, with the newest figures of each. */
export function calmRows(shown: Rows, newest: Rows): Rows {
  const byId = new Map(newest.map((signal) => [signal.id, signal]));
  return shown.map((signal) => byId.get(signal.id) ?? signal);
}

/** How many signals are newer than all that are shown. */
export function newIn(newest: Rows, shown: Rows): number {
  const last =
    shown
      .map(({ created_at: at }) => at)
      .sort()
      .at(-1) ?? '';
  return newest.filter((signal) => signal.created_at > last).length;
}
