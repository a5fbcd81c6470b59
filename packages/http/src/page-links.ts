import { type ListMeta, maxPagedRows } from '@sigcast/contracts';
import type { Request, Response } from 'express';

/**
 * Says in `Link` (RFC 8288) where the list goes on: `first`, `prev`, `next` and `last`, as far as they are there. Addresses
 * are relative to the request's own, for which name the client knows us is its business. `next` goes by cursor where the
 * list has them, so that following it neither skips nor repeats anything.
 */
export function setPageLinks(req: Request, res: Response, meta: ListMeta): void {
  const { page, per_page, total_pages, next_cursor } = meta;
  const byCursor = parametersOf(req).has('cursor');
  const next = next_cursor === undefined && page < total_pages ? { page: page + 1 } : undefined;
  const reachable = total_pages * per_page <= maxPagedRows;
  setLinks(req, res, {
    first: { page: undefined },
    ...(!byCursor && page > 1 && { prev: { page: page - 1 } }),
    ...(next_cursor ? { next: { cursor: next_cursor } } : next && { next }),
    ...(!byCursor && total_pages > 0 && reachable && { last: { page: total_pages } }),
  });
}

type Place = Readonly<Record<string, string | number | undefined>>;

/** Parameters that say which part of a list is meant; a link has its own. */
const placeParameters = ['page', 'cursor', 'after'];

/** Sets `Link`: by relation, the request's own parameters with the place that is meant. */
export function setLinks(req: Request, res: Response, links: Readonly<Record<string, Place>>): void {
  const [path = ''] = req.originalUrl.split('?', 1);
  const values = Object.entries(links).map(([relation, place]) => {
    const parameters = parametersOf(req);
    for (const name of placeParameters) parameters.delete(name);
    for (const [name, value] of Object.entries(place)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    return `<${path}${parameters.size > 0 ? `?${parameters}` : ''}>; rel="${relation}"`;
  });
  if (values.length > 0) res.setHeader('Link', values.join(', '));
}

function parametersOf(req: Request): URLSearchParams {
  const start = req.originalUrl.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : req.originalUrl.slice(start));
}
