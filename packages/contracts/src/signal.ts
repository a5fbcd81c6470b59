import { z } from 'zod';
import { isUnique } from './unique.ts';

/** The kinds of signal, in the order in which statistics list them. */
export const signalTypes = ['new', '3d', '7d', '30d', 'wallet', 'premium'] as const;
/** One kind of signal. */
export const signalTypeSchema = z.enum(signalTypes, `must be one of ${signalTypes.join(', ')}`);
export type SignalType = z.infer<typeof signalTypeSchema>;

/** Some types, each once. */
export const signalTypeListSchema = z
  .array(signalTypeSchema)
  .min(1, 'must name at least one type, or be left out for all types')
  .refine(isUnique, 'must not repeat a type');

/** The statuses of a signal. A signal starts `active`. */
export const signalStatuses = ['active', 'winner', 'dead', 'rugged'] as const;
/** One status of a signal. */
export const signalStatusSchema = z.enum(signalStatuses, `must be one of ${signalStatuses.join(', ')}`);
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
  .regex(/^sig_[0-9A-Za-z]{20,26}$/, 'must be a signal identifier, such as sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z');

/** The longest symbol that a token may have. */
export const maxSymbolCharacters = 40;
/** The longest contract address that a token may have. */
export const maxContractCharacters = 200;

const usd = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const timestamp = z.iso.datetime({ offset: true });

const tokenSchema = z.strictObject({
  symbol: z.string(),
  name: z.string(),
  contract: z.string().describe('Token contract address.'),
  age_hours: z.number().min(0).describe('Age of the token when the signal was created, in hours.'),
});

const metricsSchema = z.strictObject({
  mcap_entry: usd.describe('Market cap when the signal was created, US dollars.'),
  mcap_current: usd.describe('Newest market cap seen, US dollars.'),
  volume_24h: usd.describe('Trading volume of the last 24 hours, US dollars.'),
  holders: z.int().min(0),
  liquidity: usd.describe('US dollars.'),
});

const performanceSchema = z.strictObject({
  roi: z.number().describe('Percent: (mcap_current / mcap_entry − 1) × 100, two decimals.'),
  ath_roi: z.number().describe('Percent: (mcap_ath / mcap_entry − 1) × 100, two decimals.'),
  status: signalStatusSchema,
});

/** A signal in a list. */
export const signalListItemSchema = z.strictObject({
  id: signalIdSchema,
  token: tokenSchema,
  metrics: metricsSchema,
  performance: performanceSchema,
  type: signalTypeSchema,
  is_premium: z.boolean(),
  created_at: timestamp.describe('When the signal was created.'),
});
export type SignalListItem = z.infer<typeof signalListItemSchema>;

/** A link the token's makers published. */
const socialLink = z.string().describe('Empty where none is known.');

/** A signal with all its fields. */
export const signalDetailSchema = signalListItemSchema.extend({
  token: tokenSchema.extend({
    dex_paid: z.boolean(),
    socials: z.strictObject({ twitter: socialLink, telegram: socialLink, website: socialLink }),
  }),
  metrics: metricsSchema.extend({
    mcap_ath: usd.describe('Highest market cap seen since entry, US dollars.'),
  }),
  performance: performanceSchema.extend({
    time_to_ath_hours: z.number().min(0).describe('Hours from created_at to the observation of mcap_ath.'),
  }),
  updated_at: timestamp,
});
export type SignalDetail = z.infer<typeof signalDetailSchema>;

/** Makes the list item of a signal: without the fields that only the detail has. */
export function toListItem(signal: SignalDetail): SignalListItem {
  const { dex_paid: _paid, socials: _socials, ...token } = signal.token;
  const { mcap_ath: _ath, ...metrics } = signal.metrics;
  const { time_to_ath_hours: _time, ...performance } = signal.performance;
  const { id, type, is_premium, created_at } = signal;
  return { id, token, metrics, performance, type, is_premium, created_at };
}
