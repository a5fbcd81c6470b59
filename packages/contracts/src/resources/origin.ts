import { z } from 'zod';
import { isUnique } from '../unique.ts';

const instant = z.iso.datetime({ offset: true });
const usd = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const count = z.int().min(0);

/** Members of a signal that no source may know. */
const unknownMembers = ['age_hours', 'dex_paid', 'holders', 'socials', 'volume_24h'] as const;

/** What a signal rests on, as the program that made it says. A figure that no source knows is null. */
export const originSchema = z
  .strictObject({
    rule: z
      .string()
      .regex(/^v[1-9][0-9]{0,3}(-custom)?$/, 'must be a version of the rules, such as v1 or v1-custom')
      .describe(
        'The version of the rules that made the signal; `v1-custom` with thresholds of the operator’s own.',
      )
      .meta({ example: 'v1' }),
    sources: z
      .array(z.string().regex(/^[a-z0-9:_-]{1,60}$/, 'must be names of lists, such as dexscreener:boosts'))
      .min(1)
      .max(20)
      .refine(isUnique, 'must not repeat a list')
      .describe('The lists that named the token.')
      .meta({ example: ['dexscreener:boosts', 'geckoterminal:trending'] }),
    observed_at: instant.meta({
      description: 'When the figures were observed that the rules were applied to.',
      example: '2026-01-02T00:00:00.000Z',
    }),
    figures: z
      .strictObject({
        volume_1h: usd.nullable().meta({ description: 'US dollars.', example: 14_250 }),
        buys_1h: count.nullable().meta({ example: 180 }),
        sells_1h: count.nullable().meta({ example: 95 }),
        buyers_1h: count
          .nullable()
          .meta({ description: 'Wallets that bought, each counted once.', example: 152 }),
        change_1h: z
          .number()
          .nullable()
          .meta({ description: 'Change of the price, percent.', example: 38.5 }),
      })
      .describe('Figures of the last hour that the rules look at beside those of the signal.')
      .meta({ id: 'OriginFigures' }),
    risks: z
      .strictObject({
        top10_share: z
          .number()
          .min(0)
          .max(1)
          .nullable()
          .meta({ description: 'The part of all tokens that the ten largest holders have.', example: 0.24 }),
        mintable: z
          .boolean()
          .nullable()
          .meta({ description: 'Whether somebody may make more of the token.', example: false }),
        freezable: z
          .boolean()
          .nullable()
          .meta({ description: 'Whether somebody may freeze holders’ tokens.', example: false }),
        honeypot: z.boolean().nullable().meta({ description: 'Whether buyers can’t sell.', example: null }),
      })
      .meta({ id: 'OriginRisks' }),
    unknown: z
      .array(z.enum(unknownMembers))
      .refine(isUnique, 'must not repeat a member')
      .describe('Members of the signal that no source knew: they have 0, false or the empty text.')
      .meta({ example: ['dex_paid'] }),
  })
  .meta({ id: 'Origin' });
export type Origin = z.infer<typeof originSchema>;
