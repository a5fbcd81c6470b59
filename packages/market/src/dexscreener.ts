import { linkOf, type Pool, type Span, spans, type TokenLinks } from './pool.ts';
import { amount, each, finite, type JsonObject, listOf, objectOf, textOf } from './read.ts';

/** The most tokens that one request names. */
export const tokensPerRequest = 30;
/** An answer about several tokens with exactly so many pools may be cut off: DexScreener's older service gives no more. */
const mostPools = 30;

/** Whether an answer about so many tokens may be cut off. */
export function mayBeCut(pools: readonly Pool[], tokens: number): boolean {
  return tokens > 1 && pools.length === mostPools;
}

/** A token that a list of DexScreener names: a profile, a boost or a takeover. */
export type ListedToken = { readonly chain: string; readonly token: string; readonly links: TokenLinks };

/**
 * The tokens of an answer of `/token-profiles/…`, `/token-boosts/…` or `/community-takeovers/…`: a list, or null for none.
 * Entries without a chain or an address are left out.
 * @returns undefined when the answer is not of this format.
 */
export function listedTokens(answer: unknown): readonly ListedToken[] | undefined {
  if (answer === null) return [];
  return listOf(answer)
    ?.map(objectOf)
    .flatMap(({ chainId, tokenAddress, links }) => {
      const [chain, token] = [textOf(chainId), textOf(tokenAddress)];
      return chain && token ? [{ chain, token, links: linksOf(links) }] : [];
    });
}

/**
 * The pools of an answer of `/tokens/v1/…` and `/token-pairs/v1/…` (a list) or of `/latest/dex/tokens/…` (`{ pairs }`, null for
 * none). Pairs without a chain or a base token are left out.
 * @returns undefined when the answer is not of this format.
 */
export function dexScreenerPools(answer: unknown): readonly Pool[] | undefined {
  const given = listOf(answer) ?? objectOf(answer).pairs;
  if (given === null) return [];
  return listOf(given)
    ?.map(objectOf)
    .flatMap((pair) => poolOf(pair) ?? []);
}

function poolOf(pair: JsonObject): Pool | undefined {
  const base = objectOf(pair.baseToken);
  const [chain, token] = [textOf(pair.chainId), textOf(base.address)];
  if (!chain || !token) return undefined;
  const info = objectOf(pair.info);
  const [change, txns] = [objectOf(pair.priceChange), objectOf(pair.txns)];
  const createdMs = amount(pair.pairCreatedAt);
  const [site] = listOf(info.websites) ?? [];
  const website = linkOf(objectOf(site).url);
  return {
    chain,
    token,
    address: textOf(pair.pairAddress) ?? '',
    symbol: textOf(base.symbol),
    name: textOf(base.name),
    mcap: amount(pair.marketCap ?? pair.fdv),
    liquidity: amount(objectOf(pair.liquidity).usd),
    volume: each(spans, (span) => volumeOf(pair.volume, span)),
    change: each(spans, (span) => finite(change[span])),
    trades: each(spans, (span) => {
      const [buys, sells] = [amount(objectOf(txns[span]).buys), amount(objectOf(txns[span]).sells)];
      return buys === undefined || sells === undefined ? undefined : { buys, sells };
    }),
    createdAt: createdMs === undefined ? undefined : new Date(createdMs),
    links: { ...linksOf(info.socials), ...(website && { website }) },
  };
}

/** DexScreener leaves out what is 0. What it says and is no amount is not known. */
function volumeOf(volume: unknown, span: Span): number | undefined {
  if (volume === undefined) return 0;
  if (typeof volume !== 'object' || volume === null) return undefined;
  const { [span]: own = 0 } = volume as JsonObject;
  return amount(own);
}

/** The first link of each kind in a list of `{ type, url }`; one without a type is the website. */
function linksOf(list: unknown): TokenLinks {
  const links: { -readonly [Kind in keyof TokenLinks]: string } = {};
  for (const entry of (listOf(list) ?? []).map(objectOf)) {
    const kind = textOf(entry.type) ?? 'website';
    const url = linkOf(entry.url);
    if (url && (kind === 'twitter' || kind === 'telegram' || kind === 'website')) links[kind] ??= url;
  }
  return links;
}

/** Whether an answer of `/orders/v1/…` has an approved token profile, which a token's makers pay for; undefined when it is not of this format. */
export function hasPaidProfile(answer: unknown): boolean | undefined {
  return listOf(answer)
    ?.map(objectOf)
    .some(({ type, status }) => type === 'tokenProfile' && status === 'approved');
}
