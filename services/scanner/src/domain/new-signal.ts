import { type NewSignalRequest, newSignalSchema, type Origin, type SignalType } from '@sigcast/contracts';
import type { Candidate } from './candidate.ts';
import { ageHours, type Observation } from './observation.ts';

/**
 * The request for a signal of this type, with what it rests on. What no source knows has its default, and is named in `origin`.
 * @returns undefined where the signals service would refuse the token's names.
 */
export function signalRequest(
  type: SignalType,
  token: Observation,
  { candidate: { lists }, rule }: { readonly candidate: Candidate; readonly rule: Origin['rule'] },
): NewSignalRequest | undefined {
  const age = ageHours(token);
  const unknown = {
    age_hours: age === undefined,
    dex_paid: token.isPaid === undefined,
    holders: token.holders === undefined,
    socials: Object.keys(token.links).length === 0,
    volume_24h: token.volume24h === undefined,
  };
  const request: NewSignalRequest = {
    type,
    is_premium: type === 'premium',
    token: {
      symbol: token.symbol,
      name: token.name,
      contract: token.contract,
      chain: token.chain,
      age_hours: Math.round((age ?? 0) * 100) / 100,
      dex_paid: token.isPaid ?? false,
      socials: token.links,
    },
    metrics: {
      mcap_entry: token.mcap ?? 0,
      volume_24h: token.volume24h ?? 0,
      holders: token.holders ?? 0,
      liquidity: token.liquidity ?? 0,
    },
    origin: {
      rule,
      sources: [...lists],
      observed_at: token.observedAt.toISOString(),
      figures: {
        volume_1h: token.volume1h ?? null,
        buys_1h: token.buys1h ?? null,
        sells_1h: token.sells1h ?? null,
        buyers_1h: token.buyers1h ?? null,
        change_1h: token.change1h ?? null,
      },
      risks: {
        top10_share: token.top10Share ?? null,
        mintable: token.isMintable ?? null,
        freezable: token.isFreezable ?? null,
        honeypot: token.isHoneypot ?? null,
      },
      unknown: Object.entries(unknown).flatMap(([name, isUnknown]) => (isUnknown ? [name] : [])) as never,
    },
  };
  return newSignalSchema.safeParse(request).success ? request : undefined;
}
