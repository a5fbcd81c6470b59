/** The times over which sources count: the last five minutes, hour, six hours and day. */
export const spans = ['m5', 'h1', 'h6', 'h24'] as const;
export type Span = (typeof spans)[number];

/** Trades in some time. `buyers` and `sellers` are wallets, each counted once; absent where the source does not count them. */
export type Trades = {
  readonly buys: number;
  readonly sells: number;
  readonly buyers?: number;
  readonly sellers?: number;
};

/** Links that a token's makers published: addresses that begin with `https://`. */
export type TokenLinks = {
  readonly twitter?: string;
  readonly telegram?: string;
  readonly website?: string;
};

/** What a source says of a pool in which a token is the base token. Amounts in US dollars; a figure it does not have is absent. */
export type Pool = {
  /** DexScreener's name of the chain. */
  readonly chain: string;
  readonly address: string;
  /** The base token's address. */
  readonly token: string;
  readonly symbol?: string | undefined;
  readonly name?: string | undefined;
  /** The token's market cap, or its fully diluted value where the source has no other. */
  readonly mcap?: number | undefined;
  readonly liquidity?: number | undefined;
  readonly volume: { readonly [Each in Span]?: number };
  readonly trades: { readonly [Each in Span]?: Trades };
  /** Change of the price, percent. */
  readonly change: { readonly [Each in Span]?: number };
  readonly createdAt?: Date | undefined;
  readonly links: TokenLinks;
};

/** A link as signals have it; undefined for anything but `https://`. */
export function linkOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 300) return undefined;
  const url = URL.parse(value);
  return url?.protocol === 'https:' && url.username === '' ? url.href : undefined;
}

/** The order by which a token's pools count: of equal liquidity, the one whose address comes first. */
export function mostLiquidFirst(
  one: Pick<Pool, 'address' | 'liquidity'>,
  other: Pick<Pool, 'address' | 'liquidity'>,
): number {
  const difference = (other.liquidity ?? 0) - (one.liquidity ?? 0);
  return difference === 0
    ? Number(one.address > other.address) - Number(one.address < other.address)
    : difference;
}
