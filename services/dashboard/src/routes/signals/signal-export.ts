import type { ListMeta, SignalListItem } from '@sigcast/client';
import { csvLine } from '@sigcast/contracts';

/** The most signals of an export: a hundred requests, of the 10,000 that the dashboard of an account has in a day. */
export const mostExported = 10_000;

type Asked = { readonly data: readonly SignalListItem[]; readonly meta: ListMeta };

/**
 * Reads a list page after page, up to {@link mostExported} signals.
 * @param ask asks for the page after a cursor.
 * @param onProgress is told how many are read, and of how many.
 */
export async function readSignals(
  ask: (cursor: string | undefined) => Promise<Asked>,
  onProgress: (read: number, of: number) => void,
): Promise<SignalListItem[]> {
  const found: SignalListItem[] = [];
  let cursor: string | null | undefined;
  do {
    const { data, meta } = await ask(cursor ?? undefined);
    found.push(...data);
    onProgress(found.length, Math.min(meta.total, mostExported));
    cursor = meta.next_cursor;
  } while (cursor && found.length < mostExported);
  return found.slice(0, mostExported);
}

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
