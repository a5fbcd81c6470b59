import { z } from 'zod';
import { type ErrorCode, errorStatus } from './errors.ts';
import { count, described } from './members.ts';

const errorCodes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]];

/** The body of every failed request. */
export const failureSchema = z.strictObject({
  success: z.literal(false),
  error: z
    .strictObject({
      code: z.enum(errorCodes),
      message: z.string(),
      request_id: z.string(),
      docs: z
        .string()
        .optional()
        .describe('Where the code is explained, relative to the address of the request (RFC 3986).'),
      details: z
        .array(z.strictObject({ field: z.string(), message: z.string() }))
        .max(20)
        .optional(),
      retry_after: z.int().min(1).optional().describe('Seconds until the next request is allowed.'),
    })
    .meta({ id: 'ApiError' }),
});

export type Failure = z.infer<typeof failureSchema>;

/** The body of a successful request whose `data` is described by `data`; its name in the document is made of that of `data`. */
export function successSchema<T extends z.ZodType>(data: T) {
  const answer = z.strictObject({ success: z.literal(true), data });
  return data instanceof z.ZodArray ? named(answer, data.element, 'List') : named(answer, data, 'Answer');
}

/** `meta` of a page of a list. */
export const listMetaSchema = z
  .strictObject({
    total: count.meta({ example: 1 }),
    total_capped: described(
      z.literal(true).optional(),
      '`total` and `total_pages` are of the newest part of the list, because counting ends at a bound. Otherwise absent.',
    ),
    page: z.int().min(1).meta({ example: 1 }),
    per_page: z.int().min(1).meta({ example: 20 }),
    total_pages: count.meta({ example: 1 }),
    next_cursor: described(
      z.string().nullable().optional(),
      'Pass it back as `cursor` for what follows; null on the last page. Absent where a list has no cursors.',
    ),
  })
  .meta({ id: 'ListMeta' });

export type ListMeta = z.infer<typeof listMetaSchema>;

/** The body of a successful list request; its name in the document is made of that of an item. */
export function listSchema<T extends z.ZodType>(item: T) {
  return named(
    z.strictObject({ success: z.literal(true), data: z.array(item), meta: listMetaSchema }),
    item,
    'List',
  );
}

/** The answer with a name in the document, where what it is about has one: `SignalList` for `SignalListItem`. */
function named<A extends z.ZodType>(answer: A, about: unknown, kind: 'Answer' | 'List'): A {
  const { id } = z.globalRegistry.get(about as z.ZodType) ?? {};
  return id === undefined ? answer : answer.meta({ id: `${id.replace('ListItem', '')}${kind}` });
}
