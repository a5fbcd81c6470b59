import { z } from 'zod';
import { count, described, oneOf, timestamp } from '../members.ts';
import { projectionOn } from '../projection.ts';
import { isUnique } from '../unique.ts';

/** The kinds of signal, in the order in which statistics list them. */
export const signalTypes = ['new', '3d', '7d', '30d', 'wallet', 'premium'] as const;
/** One kind of signal. */
export const signalTypeSchema = oneOf(signalTypes).meta({ id: 'SignalType' });
export type SignalType = z.infer<typeof signalTypeSchema>;

/** Some types, each once. */
export const signalTypeListSchema = z
  .array(signalTypeSchema)
  .min(1, 'must name at least one type, or be left out for all types')
  .refine(isUnique, 'must not repeat a type');

/** The statuses of a signal. A signal starts `active`. */
export const signalStatuses = ['active', 'winner', 'dead', 'rugged'] as const;
/** One status of a signal. */
export const signalStatusSchema = oneOf(signalStatuses).meta({ id: 'SignalStatus' });
export type SignalStatus = z.infer<typeof signalStatusSchema>;

/** The statuses that may follow each status. */
export const nextStatuses: Readonly<Record<SignalStatus, readonly SignalStatus[]>> = {
  active: ['winner', 'dead', 'rugged'],
  winner: ['rugged'],
  dead: [],
  rugged: [],
};

/** `sig_` and 20–26 characters that sort by creation time. */
export const signalIdSchema = z
  .string()
  .regex(/^sig_[0-9A-Za-z]{20,26}$/, 'must be a signal identifier, such as sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z')
  .meta({ example: 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z' });

/** The longest symbol that a token may have. */
export const maxSymbolCharacters = 40;
/** The longest contract address that a token may have. */
export const maxContractCharacters = 200;

const usd = z.number().min(0).max(Number.MAX_SAFE_INTEGER);

/** A link that the token's makers published. */
const socialLink = z.string().describe('Empty where none is known.');

/** The token that a signal is about. `absent`: what it means where a producer, or an older version, leaves a member out. */
export const tokenSchema = z
  .strictObject({
    symbol: z.string().meta({ example: 'NOVA' }),
    name: z.string().meta({ example: 'Nova' }),
    contract: described(z.string(), 'Token contract address.', '0x5fbdb2315678afecb367f032d93f642f64180aa3'),
    chain: z
      .string()
      .regex(/^[a-z0-9-]{0,40}$/, 'must be DexScreener’s name of a chain, such as solana, or empty')
      .meta({
        description:
          'DexScreener’s name of the chain, such as `solana`, `ethereum` or `base`; empty where unknown.',
        example: 'ethereum',
        absent: '',
      }),
    age_hours: described(z.number().min(0), 'Age of the token when the signal was created, in hours.', 12.5),
    dex_paid: z.boolean().meta({ example: true, absent: false }),
    socials: z.strictObject({
      twitter: socialLink.meta({ example: 'https://x.com/nova' }),
      telegram: socialLink.meta({ example: '' }),
      website: socialLink.meta({ example: 'https://nova.example' }),
    }),
  })
  .meta({ id: 'Token' });

/** The market's figures of a signal. */
export const metricsSchema = z
  .strictObject({
    mcap_entry: described(usd, 'Market cap when the signal was created, US dollars.', 100_000),
    mcap_current: usd.meta({ description: 'Newest market cap seen, US dollars.', example: 240_000 }),
    volume_24h: described(usd, 'Trading volume of the last 24 hours, US dollars.', 52_340.5),
    holders: count.meta({ example: 321 }),
    liquidity: usd.meta({ description: 'US dollars.', example: 20_000 }),
    mcap_ath: usd.meta({ description: 'Highest market cap seen since entry, US dollars.', example: 280_000 }),
  })
  .meta({ id: 'Metrics' });

const performanceSchema = z
  .strictObject({
    roi: described(z.number(), 'Percent: (mcap_current / mcap_entry − 1) × 100, two decimals.', 140),
    ath_roi: described(z.number(), 'Percent: (mcap_ath / mcap_entry − 1) × 100, two decimals.', 180),
    status: signalStatusSchema.meta({ example: 'winner' }),
    time_to_ath_hours: z.number().min(0).meta({
      description: 'Hours from created_at to the observation of mcap_ath.',
      example: 9.25,
    }),
  })
  .meta({ id: 'Performance' });

/** A signal with all its fields. */
export const signalDetailSchema = z.strictObject({
  id: signalIdSchema,
  token: tokenSchema,
  metrics: metricsSchema,
  performance: performanceSchema,
  type: signalTypeSchema,
  is_premium: z.boolean(),
  created_at: timestamp.describe('When the signal was created.'),
  updated_at: timestamp.meta({ example: '2026-01-02T01:30:00.000Z' }),
});
export type SignalDetail = z.infer<typeof signalDetailSchema>;

/** A signal right after an event, as its subscribers get it. */
export const signalAtEventSchema = signalDetailSchema
  .omit({ updated_at: true })
  .meta({ id: 'SignalAtEvent' });
export type SignalAtEvent = z.infer<typeof signalAtEventSchema>;

/** A signal in a list: without the fields that only the detail has. */
export const signalListItemSchema = signalDetailSchema.omit({ updated_at: true }).extend({
  token: tokenSchema.omit({ dex_paid: true, socials: true }).meta({ id: 'ListedToken' }),
  metrics: metricsSchema.omit({ mcap_ath: true }).meta({ id: 'ListedMetrics' }),
  performance: performanceSchema.omit({ time_to_ath_hours: true }).meta({ id: 'ListedPerformance' }),
});
export type SignalListItem = z.infer<typeof signalListItemSchema>;

/** Makes the list item of a signal. */
export const toListItem: (signal: SignalDetail) => SignalListItem = projectionOn(signalListItemSchema);
