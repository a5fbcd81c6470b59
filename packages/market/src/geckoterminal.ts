import { chainOf } from './chains.ts';
import { linkOf, type Pool, spans, type TokenLinks } from './pool.ts';
import { amount, decimal, each, type JsonObject, listOf, objectOf, textOf } from './read.ts';

/** What GeckoTerminal knows of a token's holders and risks; what it does not know is absent. */
export type TokenFacts = {
  readonly holders?: number | undefined;
  /** The share of all tokens that the ten largest holders have, from 0 to 1. */
  readonly top10Share?: number | undefined;
  /** Whether somebody may make more of the token. */
  readonly isMintable?: boolean | undefined;
  /** Whether somebody may freeze a holder's tokens. */
  readonly isFreezable?: boolean | undefined;
  /** Whether buyers can't sell. */
  readonly isHoneypot?: boolean | undefined;
  readonly links: TokenLinks;
};

/**
 * The pools of an answer of `/networks/…/trending_pools`, `…/new_pools` or `…/pools/multi/…`, with `include=base_token` for
 * symbols and names. Entries without a base token or a network are left out.
 * @param network the network that was asked about; undefined where all were asked about, with `include=network`
 * @returns undefined when the answer is not of this format.
 */
export function geckoTerminalPools(answer: unknown, network?: string): readonly Pool[] | undefined {
  const { data, included } = objectOf(answer);
  const tokens = new Map(
    (listOf(included) ?? []).map(objectOf).map(({ id, attributes }) => [id, objectOf(attributes)]),
  );
  return listOf(data)
    ?.map(objectOf)
    .flatMap((pool) => poolOf(pool, tokens, network) ?? []);
}

/**
 * An answer of `/networks/…/tokens/multi/…`, with `include=top_pools`: the addresses that it knows, and the pools of which one of them,
 * or another token, is the base token.
 * @returns undefined when the answer is not of this format.
 */
export function geckoTerminalTokens(
  answer: unknown,
  network: string,
): { readonly known: readonly string[]; readonly pools: readonly Pool[] } | undefined {
  const { data, included } = objectOf(answer);
  const known = listOf(data)?.flatMap((token) => textOf(objectOf(objectOf(token).attributes).address) ?? []);
  const pools = geckoTerminalPools({ data: included ?? [] }, network);
  return known && pools && { known, pools };
}

/** The headers of a request: which version is asked for, and a key given as `name: value`. */
export function geckoTerminalHeaders(key: string | undefined): Readonly<Record<string, string>> {
  const [name, value] = key?.split(': ') ?? [];
  return { accept: 'application/json;version=20230302', ...(name && value && { [name]: value }) };
}

function poolOf(
  { attributes, relationships }: JsonObject,
  tokens: ReadonlyMap<unknown, JsonObject>,
  asked: string | undefined,
): Pool | undefined {
  const related = objectOf(relationships);
  const idOf = (name: string) => textOf(objectOf(objectOf(related[name]).data).id);
  const [id = '', network = asked ?? ''] = [idOf('base_token'), idOf('network')];
  // The id is `<network>_<address>`, and both may have underscores.
  const token = id.startsWith(`${network}_`) ? id.slice(network.length + 1) : '';
  if (!network || !token) return undefined;
  const own = objectOf(attributes);
  const [volume, change] = [objectOf(own.volume_usd), objectOf(own.price_change_percentage)];
  const createdMs = Date.parse(textOf(own.pool_created_at) ?? '');
  const named = tokens.get(id);
  return {
    chain: chainOf(network),
    token,
    address: textOf(own.address) ?? '',
    symbol: textOf(named?.symbol),
    name: textOf(named?.name),
    mcap: amount(decimal(own.market_cap_usd ?? own.fdv_usd)),
    liquidity: amount(decimal(own.reserve_in_usd)),
    volume: each(spans, (span) => amount(decimal(volume[span]))),
    change: each(spans, (span) => decimal(change[span])),
    trades: each(spans, (span) => {
      const counts = objectOf(objectOf(own.transactions)[span]);
      const [buys, sells] = [amount(counts.buys), amount(counts.sells)];
      const [buyers, sellers] = [amount(counts.buyers), amount(counts.sellers)];
      if (buys === undefined || sells === undefined) return undefined;
      return {
        buys,
        sells,
        ...(buyers !== undefined && { buyers }),
        ...(sellers !== undefined && { sellers }),
      };
    }),
    createdAt: Number.isNaN(createdMs) ? undefined : new Date(createdMs),
    links: {},
  };
}

/** The facts of an answer of `/networks/…/tokens/…/info`; undefined when it is not of this format. */
export function tokenFacts(answer: unknown): TokenFacts | undefined {
  const { attributes } = objectOf(objectOf(answer).data);
  if (typeof attributes !== 'object' || attributes === null) return undefined;
  const own = objectOf(attributes);
  const holders = objectOf(own.holders);
  const percent = amount(decimal(objectOf(holders.distribution_percentage).top_10));
  const [site] = listOf(own.websites) ?? [];
  const handle = (name: unknown, prefix: string) =>
    typeof name === 'string' && /^[\w/]{1,100}$/.test(name) ? linkOf(prefix + name) : undefined;
  const website = linkOf(site);
  const twitter = handle(own.twitter_handle, 'https://x.com/');
  const telegram = handle(own.telegram_handle, 'https://t.me/');
  return {
    holders: amount(holders.count),
    top10Share: percent === undefined || percent > 100 ? undefined : percent / 100,
    isMintable: authority(own.mint_authority),
    isFreezable: authority(own.freeze_authority),
    isHoneypot: yesOrNo(own.is_honeypot),
    links: { ...(twitter && { twitter }), ...(telegram && { telegram }), ...(website && { website }) },
  };
}

/** `no`, or the address of who has it; null where that is not known. */
function authority(value: unknown): boolean | undefined {
  return typeof value === 'string' ? value !== 'no' : undefined;
}

function yesOrNo(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return value === 'yes' ? true : value === 'no' ? false : undefined;
}
