/** Links that a token's makers published. */
export type Links = { readonly twitter?: string; readonly telegram?: string; readonly website?: string };

/** What sources say of a token at an instant. Amounts in US dollars; what no source knows is absent. */
export type Observation = {
  /** DexScreener's name of the chain. */
  readonly chain: string;
  readonly contract: string;
  readonly symbol: string;
  readonly name: string;
  readonly links: Links;
  readonly observedAt: Date;
  /** When the pool was made that the figures are of: the token's deepest one. */
  readonly pooledAt?: Date | undefined;
  readonly mcap?: number | undefined;
  readonly liquidity?: number | undefined;
  readonly volume1h?: number | undefined;
  readonly volume24h?: number | undefined;
  readonly buys1h?: number | undefined;
  readonly sells1h?: number | undefined;
  readonly trades24h?: number | undefined;
  /** Wallets that bought in the last hour, each counted once. */
  readonly buyers1h?: number | undefined;
  /** Change of the price in the last hour, percent. */
  readonly change1h?: number | undefined;
  /** Whether the token's makers have paid for a profile at DexScreener. */
  readonly isPaid?: boolean | undefined;
  readonly holders?: number | undefined;
  readonly top10Share?: number | undefined;
  readonly isMintable?: boolean | undefined;
  readonly isFreezable?: boolean | undefined;
  readonly isHoneypot?: boolean | undefined;
};

const msPerHour = 3_600_000;

/** How old the token's pool was when it was observed, in hours; undefined where no source says. */
export function ageHours({ observedAt, pooledAt }: Observation): number | undefined {
  return pooledAt && Math.max(0, (observedAt.getTime() - pooledAt.getTime()) / msPerHour);
}
