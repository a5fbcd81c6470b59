import { useState } from 'react';

/** What is listed: an object and when it was made, or an event and when it happened. */
type Dated = { readonly id: string } & ({ readonly created_at: string } | { readonly timestamp: string });

/** What {@link useCalmRows} returns besides the rows. */
export type Calm = { readonly waiting: number; readonly hold: () => void; readonly release: () => void };

/**
 * Keeps the rows of a list in their places while somebody reads them: points at them, or goes through them by keyboard. Their
 * figures follow; new ones wait until the reader asks for them or leaves the list.
 * @param list what is listed: another list is shown at once.
 */
export function useCalmRows<Row extends Dated>(rows: readonly Row[], list: string) {
  const [kept, setKept] = useState<{ readonly list: string; readonly rows: readonly Row[] } | null>(null);
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
export function calmRows<Row extends Dated>(shown: readonly Row[], newest: readonly Row[]): readonly Row[] {
  const byId = new Map(newest.map((row) => [row.id, row]));
  return shown.map((row) => byId.get(row.id) ?? row);
}

/** How many rows are newer than all that are shown. */
export function newIn(newest: readonly Dated[], shown: readonly Dated[]): number {
  const last = shown.map(dateOf).sort().at(-1) ?? '';
  return newest.filter((row) => dateOf(row) > last).length;
}

const dateOf = (row: Dated): string => ('created_at' in row ? row.created_at : row.timestamp);
