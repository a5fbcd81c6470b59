import { type NewSignal, type SignalType, tokenSchema } from '@sigcast/contracts';
import { z } from 'zod';

/** The result for one pair: a signal to create, or every reason why the pair can't be one. */
type MappedPair =
  | { readonly kind: 'signal'; readonly signal: NewSignal }
  | { readonly kind: 'unusable'; readonly reasons: readonly string[] };

type PairSettings = {
  readonly type: SignalType;
  readonly premium: boolean;
  /** When the answer was recorded. The token's age is counted up to then, so that a repetition sends the same age. */
  readonly recordedAt: Date;
};

type JsonObject = Readonly<Record<string, unknown>>;

const msPerHour = 3_600_000;
const link = z.httpUrl().max(500);

/** The pairs of an answer: `{ pairs }` as `…/latest/dex/…` answers (null for none), or a list of pairs. */
export function pairsOf(json: unknown): readonly unknown[] | undefined {
  if (Array.isArray(json)) return json.every((pair) => 'baseToken' in objectOf(pair)) ? json : undefined;
  const { pairs } = objectOf(json);
  if (pairs === null) return [];
  return Array.isArray(pairs) ? pairs : undefined;
}

/**
 * Maps a pair's base token to a signal. A pair without market cap, age, volume or liquidity is unusable. `fdv`, the
 * value of all existing tokens, stands in for a missing `marketCap`, as it does at DexScreener; older answers have only
 * `fdv`. `holders` is 0 because the format does not have it. Links that are not http addresses are left out.
 */
export function mapPair(pair: unknown, settings: PairSettings): MappedPair {
  const source = objectOf(pair);
  const token = objectOf(source.baseToken);
  const reasons: string[] = [];
  const text = (value: unknown, reason: string) => {
    if (typeof value === 'string' && value.trim() !== '') return value;
    reasons.push(reason);
    return '';
  };
  const amount = (value: unknown, reason: string) => {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    reasons.push(reason);
    return 0;
  };

  const contract = text(token.address, 'no token address (baseToken.address)');
  const symbol = text(token.symbol, 'no token symbol (baseToken.symbol)');
  const name = text(token.name, 'no token name (baseToken.name)');
  const mcap_entry = amount(source.marketCap ?? source.fdv, 'no market cap (marketCap or fdv)');
  if ((source.marketCap ?? source.fdv) === 0) reasons.push('a market cap of 0 (marketCap or fdv)');
  const volume_24h = amount(objectOf(source.volume).h24, 'no 24-hour volume (volume.h24)');
  const liquidity = amount(objectOf(source.liquidity).usd, 'no liquidity in US dollars (liquidity.usd)');
  const createdAtMs = amount(source.pairCreatedAt, 'no creation time, so no age (pairCreatedAt)');
  const ageMs = settings.recordedAt.getTime() - createdAtMs;
  if (ageMs < 0) reasons.push('a creation time after the answer was recorded (pairCreatedAt)');
  if (reasons.length > 0) return { kind: 'unusable', reasons };

  return {
    kind: 'signal',
    signal: {
      token: {
        symbol,
        name,
        contract,
        chain: tokenSchema.shape.chain.safeParse(source.chainId).data ?? '',
        age_hours: Math.round((ageMs / msPerHour) * 100) / 100,
        dex_paid: false,
        socials: socialsOf(objectOf(source.info)),
      },
      metrics: { mcap_entry, volume_24h, holders: 0, liquidity },
      type: settings.type,
      is_premium: settings.premium,
    },
  };
}

function socialsOf(info: JsonObject): NewSignal['token']['socials'] {
  const socials = listOf(info.socials).map(objectOf);
  const urlOf = (kind: string) => httpLink(socials.find(({ type }) => type === kind)?.url);
  return {
    twitter: urlOf('twitter'),
    telegram: urlOf('telegram'),
    website: httpLink(listOf(info.websites).map(objectOf)[0]?.url),
  };
}

function httpLink(value: unknown): string {
  return link.safeParse(value).data ?? '';
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
