import { z } from 'zod';
import { described } from './members.ts';

/** The deepest row that can be reached by page number. Deeper rows are reached by cursor. */
export const maxPagedRows = 10_000;

/** A query parameter that is a whole number within bounds, written in digits: not `020`, not `+5`. */
export const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,8})$/, message)
    .transform(Number)
    .pipe(z.int().min(min, message).max(max, message));
};

/** A query parameter with one value or several, separated by commas. Repeated values are removed. */
export const oneOrMore = <T extends string>(
  values: readonly [T, ...T[]],
  message = `must be one of ${values.join(', ')}, or several separated by commas`,
) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values, message)).overwrite((list) => [...new Set(list)]));

/** The number of results on a page. */
export const pageLimit = wholeNumber(1, 100).default(20).describe('Results per page.');
/** The number of a page, from 1. */
export const pageNumber = wholeNumber(1, 999_999_999);

/** Parameters of lists that are read by page or by cursor. `withPagingRules` adds the rules between them. */
export const pagingParameters = {
  limit: pageLimit,
  page: z
    .string()
    .regex(/^[1-9]\d*$/, 'must be a whole number from 1')
    .transform(Number)
    .meta({
      description: 'Page number, from 1; `page` × `limit` may reach 10,000.',
      type: 'integer',
      minimum: 1,
      maximum: maxPagedRows,
    })
    .optional(),
  cursor: described(
    z.string().min(1).max(200).optional(),
    '`meta.next_cursor` of the previous page; instead of `page`.',
  ),
};

type Paging = { limit: number; page?: number | undefined; cursor?: string | undefined };

/**
 * Adds the rules between {@link pagingParameters}: either page or cursor, and no page deeper than {@link maxPagedRows}. The
 * rules are checked only when each parameter is valid by itself.
 */
export function withPagingRules<Q extends Paging, S extends z.ZodType<Q>>(query: S): S {
  const when = ({ issues }: { issues: readonly unknown[] }) => issues.length === 0;
  return query
    .refine((q) => q.page === undefined || q.cursor === undefined, {
      path: ['cursor'],
      message: 'must not be used together with page',
      when,
    })
    .refine((q) => (q.page ?? 1) * q.limit <= maxPagedRows, {
      path: ['cursor'],
      message: `is needed where page × limit is over ${maxPagedRows}; take it from meta.next_cursor`,
      when,
    });
}
