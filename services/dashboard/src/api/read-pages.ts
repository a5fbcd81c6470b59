import type { ListMeta } from '@sigcast/client';

/** Asks for the page after a cursor; for the first one without. */
export type AskPage<Row> = (
  cursor: string | undefined,
) => Promise<{ readonly data: readonly Row[]; readonly meta: ListMeta }>;

/**
 * Reads a list page after page.
 * @param most rows at most. `onProgress` is told how many are read, and of how many.
 */
export async function readPages<Row>(
  ask: AskPage<Row>,
  {
    most = Number.POSITIVE_INFINITY,
    onProgress,
  }: { readonly most?: number; readonly onProgress?: (read: number, of: number) => void } = {},
): Promise<Row[]> {
  const found: Row[] = [];
  let cursor: string | null | undefined;
  do {
    const { data, meta } = await ask(cursor ?? undefined);
    found.push(...data);
    onProgress?.(found.length, Math.min(meta.total, most));
    cursor = meta.next_cursor;
  } while (cursor && found.length < most);
  return found.slice(0, most);
}
