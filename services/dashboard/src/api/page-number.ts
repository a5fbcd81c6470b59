/** The API lists no rows beyond this one by page number. */
export const deepestRow = 10_000;

/** The page number in a page's address; 1 where there is none, and the last one that the API accepts where it is beyond. */
export function pageNumberIn(query: URLSearchParams, perPage: number): number {
  const page = Number(query.get('page') ?? 1);
  return Number.isInteger(page) && page >= 1 ? Math.min(page, Math.floor(deepestRow / perPage)) : 1;
}
