import type { ListMeta } from '@sigcast/contracts';
import type { RequestHandler, Response } from 'express';

/** Answers `{ success: true, data }`. */
export function sendData(res: Response, data: unknown, status = 200): void {
  res.status(status).json({ success: true, data });
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
