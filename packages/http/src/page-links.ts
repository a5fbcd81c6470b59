import { type ListMeta, maxPagedRows } from '@sigcast/contracts';
import type { Request, Response } from 'express';

/**
 * Sets `Link` (RFC 8288) with `first`, `prev`, `next` and `last`, as far as these pages exist. Each link is a query only,
 * relative to the client's address (RFC 3986, 5.2.2), because the client may see another host and path than this service.
 * `next` uses the cursor where the list has one, so that following it neither skips nor repeats an entry.
 */
export function setPageLinks(req: Request, res: Response, meta: ListMeta): void {
  const { page, per_page, total_pages, next_cursor } = meta;
  const byCursor = parametersOf(req).has('cursor');
  const next = next_cursor === undefined && page < total_pages ? { page: page + 1 } : undefined;
  // A page behind the last leads back to the last.
  const previous = Math.min(page - 1, total_pages);
  const hasLast = total_pages > 0 && total_pages * per_page <= maxPagedRows;
  setLinks(req, res, {
    first: { page: undefined },
    ...(!byCursor && previous > 0 && { prev: { page: previous } }),
    ...(next_cursor ? { next: { cursor: next_cursor } } : next && { next }),
    ...(!byCursor && hasLast && { last: { page: total_pages } }),
  });
}

type Position = Readonly<Record<string, string | number | undefined>>;

/** Parameters that select a part of a list. Links replace them. */
const positionParameters = ['page', 'cursor', 'after'];

/** Sets `Link`: for each relation, the request's own parameters with another position in the list. */
export function setLinks(req: Request, res: Response, links: Readonly<Record<string, Position>>): void {
  const values = Object.entries(links).map(([relation, position]) => {
    const parameters = parametersOf(req);
    for (const name of positionParameters) parameters.delete(name);
    for (const [name, value] of Object.entries(position)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    return `<?${parameters}>; rel="${relation}"`;
  });
  if (values.length > 0) res.setHeader('Link', values.join(', '));
}

function parametersOf(req: Request): URLSearchParams {
  const start = req.originalUrl.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : req.originalUrl.slice(start));
}
