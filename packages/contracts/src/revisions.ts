import { z } from 'zod';
import { wholeNumber } from './queries.ts';
import { signalDetailSchema, signalIdSchema } from './signal.ts';
import { tolerant } from './tolerant.ts';

/** A signal in full with the number of its last change, as another service reads it to make its own copy. */
export const signalRevisionSchema = z.strictObject({ rev: z.int().min(1), signal: signalDetailSchema });
export type SignalRevision = z.infer<typeof signalRevisionSchema>;

/** Most signals in one page of `GET /internal/v1/signals`. */
export const maxRevisionsPage = 1_000;

/** The query of `GET /internal/v1/signals`. */
export const listRevisionsQuerySchema = z.strictObject({
  /** Only signals with a greater id. */
  after: signalIdSchema.optional(),
  limit: wholeNumber(1, maxRevisionsPage).default(maxRevisionsPage),
});
export type ListRevisionsQuery = z.infer<typeof listRevisionsQuerySchema>;

/**
 * Answer of `GET /internal/v1/signals`: signals by ascending id, each as it was at some instant of the request. Pages
 * follow each other by `next_after`, null on the last one: whatever is written meanwhile, a signal that was there
 * before the first page and whose id doesn't change is in exactly one of them.
 */
export const revisionsPageSchema = z.strictObject({
  success: z.literal(true),
  data: z.array(signalRevisionSchema),
  meta: z.strictObject({ next_after: signalIdSchema.nullable() }),
});
export type RevisionsPage = z.infer<typeof revisionsPageSchema>;

/** Both as other services read them: a newer signals service may send more than they know. */
export const receivedRevisionSchema = tolerant(signalRevisionSchema);
export const receivedRevisionsPageSchema = tolerant(revisionsPageSchema);
