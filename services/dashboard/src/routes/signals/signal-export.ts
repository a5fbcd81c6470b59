import type { SignalListItem } from '@sigcast/client';
import { csvLine } from '@sigcast/contracts';
import { type AskPage, readPages } from '../../api/read-pages.ts';

/** The most signals of an export: a hundred requests, of the 10,000 that the dashboard of an account has in a day. */
export const mostExported = 10_000;

/** Reads a list of signals page after page, up to {@link mostExported}; see {@link readPages}. */
export const readSignals = (
  ask: AskPage<SignalListItem>,
  onProgress: (read: number, of: number) => void,
): Promise<SignalListItem[]> => readPages(ask, { most: mostExported, onProgress });

/** How signals are written to a file of each kind. */
export const exportFormats = {
  csv: { type: 'text/csv', write: csvOf },
  json: { type: 'application/json', write: (signals: readonly SignalListItem[]) => JSON.stringify(signals) },
} as const;
export type ExportFormat = keyof typeof exportFormats;

/** A line for each signal. Columns are named by the paths of the API's fields, such as `token.symbol`. */
function csvOf(signals: readonly SignalListItem[]): string {
  const rows = signals.map((signal) => new Map(cellsOf(signal)));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  return [columns, ...rows.map((row) => columns.map((column) => row.get(column)))].map(csvLine).join('');
}

type Cell = string | number | boolean | null;

function cellsOf(value: object, path = ''): [string, Cell][] {
  return Object.entries(value).flatMap(([name, member]: [string, Cell | object]) =>
    typeof member === 'object' && member !== null
      ? cellsOf(member, `${path}${name}.`)
      : [[path + name, member] as [string, Cell]],
  );
}
