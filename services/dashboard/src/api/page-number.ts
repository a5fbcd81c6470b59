/** The API lists no rows beyond this one by page number. */
export const deepestRow = 10_000;

/** The page number in a page's address; 1 where there is none that the API accepts. */
export function pageNumberIn(query: URLSearchParams, perPage: number): number {
  const page = Number(query.get('page') ?? 1);
  return Number.isInteger(page) && page >= 1 && page <= deepestRow / perPage ? page : 1;
}
