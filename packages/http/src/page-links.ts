import { type ListMeta, maxPagedRows } from '@sigcast/contracts';
import type { Request, Response } from 'express';

/**
 * Says in `Link` (RFC 8288) where the list goes on: `first`, `prev`, `next` and `last`, as far as they are there. Each is a
 * query alone, relative to the address that the client has asked at (RFC 3986, 5.2.2): that one's host and path may be
 * others than this service sees. `next` goes by cursor where the list has them, so that following it neither skips nor
 * repeats anything.
 */
export function setPageLinks(req: Request, res: Response, meta: ListMeta): void {
  const { page, per_page, total_pages, next_cursor } = meta;
  const byCursor = parametersOf(req).has('cursor');
  const next = next_cursor === undefined && page < total_pages ? { page: page + 1 } : undefined;
  // A page behind the last leads back to the last.
  const previous = Math.min(page - 1, total_pages);
  const reachable = total_pages * per_page <= maxPagedRows;
  setLinks(req, res, {
    first: { page: undefined },
    ...(!byCursor && previous > 0 && { prev: { page: previous } }),
    ...(next_cursor ? { next: { cursor: next_cursor } } : next && { next }),
    ...(!byCursor && total_pages > 0 && reachable && { last: { page: total_pages } }),
  });
}

type Place = Readonly<Record<string, string | number | undefined>>;

/** Parameters that say which part of a list is meant; a link has its own. */
const placeParameters = ['page', 'cursor', 'after'];

/** Sets `Link`: by relation, the request's own parameters with the place that is meant. */
export function setLinks(req: Request, res: Response, links: Readonly<Record<string, Place>>): void {
  const values = Object.entries(links).map(([relation, place]) => {
    const parameters = parametersOf(req);
    for (const name of placeParameters) parameters.delete(name);
    for (const [name, value] of Object.entries(place)) {
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
