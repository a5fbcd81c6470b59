import { z } from 'zod';
import { wholeNumber } from './query-parameters.ts';
import { realizableSchema, receivedRealizableSchema } from './resources/realizable.ts';
import { signalDetailSchema, signalIdSchema } from './resources/signal.ts';
import { tolerant } from './tolerant.ts';

/** A whole signal with its `rev`, for a service that makes its own copy. */
export const signalRevisionSchema = z.strictObject({
  rev: z.int().min(1),
  signal: signalDetailSchema,
  /** As the event of this `rev` has it; absent where the tracker knows of no position. */
  realizable: realizableSchema.optional(),
});
export type SignalRevision = z.infer<typeof signalRevisionSchema>;

/** The most signals in one page of `GET /internal/v1/signals`. */
const maxRevisionsPage = 1_000;

/** The query of `GET /internal/v1/signals`. */
export const listRevisionsQuerySchema = z.strictObject({
  /** Only signals with a greater id. */
  after: signalIdSchema.optional(),
  limit: wholeNumber(1, maxRevisionsPage).default(maxRevisionsPage),
});

/**
 * Answer of `GET /internal/v1/signals`: signals by ascending id, each as it was at some instant of the request. `next_after` is
 * `after` of the next page; null on the last page. Each signal that existed before the first page is in exactly one page,
 * whatever is written meanwhile.
 */
export const revisionsPageSchema = z.strictObject({
  success: z.literal(true),
  data: z.array(signalRevisionSchema),
  meta: z.strictObject({ next_after: signalIdSchema.nullable() }),
});
export type RevisionsPage = z.infer<typeof revisionsPageSchema>;

/** The same for readers: they ignore members that a newer signals service sends. */
export const receivedRevisionSchema = tolerant(signalRevisionSchema).extend({
  realizable: receivedRealizableSchema.optional(),
});
/** A page of signals for readers, which ignore unknown members. */
export const receivedRevisionsPageSchema = tolerant(revisionsPageSchema).extend({
  data: receivedRevisionSchema.array(),
});
