import { z } from 'zod';
import {
  maxContractCharacters,
  maxSymbolCharacters,
  signalStatusSchema,
  signalTypeSchema,
} from './signal.ts';
import { nameText } from './text.ts';

const usd = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
/** A link. Empty and null both mean none; answers have the empty text. */
const link = z
  .union(
    [z.literal(''), z.httpUrl().max(500)],
    'must be an http or https address of at most 500 characters, or empty',
  )
  .nullish();
const instant = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 timestamp with a time zone' })
  .transform((value) => new Date(value));

/** Body of `POST /internal/v1/signals`, and one line of an NDJSON import. */
export const newSignalSchema = z.strictObject({
  token: z.strictObject({
    symbol: nameText(maxSymbolCharacters),
    name: nameText(200),
    contract: nameText(maxContractCharacters),
    age_hours: z.number().min(0).max(1e7),
    dex_paid: z.boolean().default(false),
    socials: z.strictObject({ twitter: link, telegram: link, website: link }).default({}),
  }),
  metrics: z.strictObject({
    mcap_entry: usd.gt(0, 'must be above 0'),
    mcap_current: usd.optional(),
    volume_24h: usd,
    holders: z.int().min(0),
    liquidity: usd,
  }),
  type: signalTypeSchema,
  is_premium: z.boolean(),
  created_at: instant.optional(),
});
export type NewSignal = z.infer<typeof newSignalSchema>;

/** Body of `PATCH /internal/v1/signals/{id}`. */
export const signalPatchSchema = z
  .strictObject({
    metrics: z
      .strictObject({
        mcap_current: usd.optional(),
        volume_24h: usd.optional(),
        holders: z.int().min(0).optional(),
        liquidity: usd.optional(),
      })
      .optional(),
    status: signalStatusSchema.optional(),
    observed_at: instant.optional(),
  })
  .refine((patch) => patch.status !== undefined || Object.keys(patch.metrics ?? {}).length > 0, {
    message: 'The body must change metrics or status',
  });
export type SignalPatch = z.infer<typeof signalPatchSchema>;
