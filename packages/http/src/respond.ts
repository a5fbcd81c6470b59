import type { ListMeta } from '@sigcast/contracts';
import type { Request, RequestHandler, Response } from 'express';
import { setPageLinks } from './page-links.ts';

/** Answers `{ success: true, data }`. */
export function sendData(res: Response, data: unknown, status = 200): void {
  res.status(status).json({ success: true, data });
}

/** Answers `{ success: true, data, meta }`, with `Link`. */
export function sendList(req: Request, res: Response, data: readonly unknown[], meta: ListMeta): void {
  setPageLinks(req, res, meta);
  res.status(200).json({ success: true, data, meta });
}

/** The `meta` of a page. */
export function listMeta(page: {
  total: number;
  capped?: boolean;
  page: number;
  limit: number;
  nextCursor?: string | null;
}): ListMeta {
  return {
    total: page.total,
    ...(page.capped && { total_capped: true as const }),
    page: page.page,
    per_page: page.limit,
    total_pages: Math.ceil(page.total / page.limit),
    ...(page.nextCursor === undefined ? {} : { next_cursor: page.nextCursor }),
  };
}

/** No cache may store the answer, which belongs to one account. A later handler may set another value. */
export const noStore: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  next();
};
