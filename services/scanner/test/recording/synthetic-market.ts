// Makes synthetic-market.ndjson: answers in both sources' formats over half an hour, of tokens that are made up so that each rule
// has work. Among them are the answers of packages/market/test/recorded, which real sources have given. Run it to write the file.
import { readFileSync, writeFileSync } from 'node:fs';
import { seededRandom } from '@sigcast/runtime';

type Fate = 'flat' | 'up' | 'low' | 'rug' | 'gone';

/** A token at its first observation, an hour old and `new` unless said otherwise. */
type Token = {
  readonly id: string;
  readonly chain?: string;
  readonly hours?: number;
  readonly fate?: Fate;
  readonly mcap?: unknown;
  readonly liquidity?: unknown;
  readonly buys?: unknown;
  readonly sells?: unknown;
  /** The day's trades and volume, as multiples of those of the hour. */
  readonly day?: number;
  readonly change?: unknown;
  readonly symbol?: unknown;
  readonly links?: readonly object[];
  /** Wallets that bought, where GeckoTerminal lists the token. */
  readonly buyers?: number;
  readonly isPaid?: boolean;
  readonly risks?: object | null;
  /** Whether lists name it at the first step only. */
  readonly isListedOnce?: boolean;
  /** Pairs in place of the token's own. */
  readonly pairs?: readonly object[];
};

export const beganAt = new Date('2026-01-15T12:00:00Z');
const minuteMs = 60_000;
/** Longer than a verdict stands. */
const everyMs = 6 * minuteMs;
const steps = 6;
const networks = { solana: 'solana', base: 'base', ethereum: 'eth' } as const;
const quote = { address: 'So11111111111111111111111111111111111111112', name: 'Wrapped SOL', symbol: 'SOL' };
const awake = { day: 8 };
const safe = { mint_authority: 'no', freeze_authority: 'no', is_honeypot: 'unknown', top_10: '24.5' };

/** What a fate does to the market cap and the liquidity, by the step. */
const courses: Readonly<
  Record<Exclude<Fate, 'gone'>, readonly (readonly [mcap: number, liquidity: number])[]>
> = {
  flat: [[1, 1]],
  up: [
    [1, 1],
    [1.6, 1.2],
    [2.4, 1.4],
    [2.6, 1.5],
  ],
  low: [
    [1, 1],
    [0.5, 0.7],
    [0.08, 0.3],
    [0.05, 0.25],
  ],
  rug: [
    [1, 1],
    [1.3, 1.2],
    [0.02, 0.01],
  ],
};

const named: readonly Token[] = [
  // One of each type; what becomes of them differs.
  { id: 'new-up', fate: 'up', isPaid: true },
  { id: 'new-low', fate: 'low', chain: 'base' },
  { id: 'new-rug', fate: 'rug' },
  { id: 'new-gone', fate: 'gone' },
  { id: 'three-days', hours: 50, ...awake },
  { id: 'seven-days', hours: 100, ...awake, fate: 'up' },
  { id: 'thirty-days', hours: 500, ...awake },
  { id: 'many-wallets', hours: 2_000, buys: 200, buyers: 180 },
  { id: 'premium', liquidity: 60_000, mcap: 400_000, buys: 120, sells: 90, risks: safe, fate: 'up' },
  {
    id: 'premium-base',
    chain: 'base',
    liquidity: 60_000,
    buys: 120,
    sells: 90,
    risks: { top_10: '20', is_honeypot: 'no' },
  },
  // One that each rule stops.
  { id: 'no-pair', pairs: [] },
  { id: 'age-unknown', hours: Number.NaN },
  { id: 'cap-of-a-dream', mcap: 1e15, liquidity: 1e14 },
  { id: 'shallow', liquidity: 9_000 },
  { id: 'thin', mcap: 2_000_000 },
  { id: 'quiet', buys: 15, sells: 10 },
  { id: 'nobody-sells', buys: 100, sells: 2 },
  { id: 'sold-off', buys: 12, sells: 80 },
  { id: 'jump', change: 1_400 },
  { id: 'few-hands', risks: { ...safe, top_10: '71.2' } },
  { id: 'honeypot', chain: 'base', risks: { top_10: '30', is_honeypot: 'yes' } },
  { id: 'mintable', risks: { ...safe, mint_authority: 'Maker' } },
  { id: 'freezable', risks: { ...safe, freeze_authority: 'Maker' } },
  { id: 'few-buys', buys: 30 },
  { id: 'asleep', hours: 60, day: 24 },
  { id: 'busy-bots', hours: 2_000, buys: 300, buyers: 90 },
  { id: 'other-pool', hours: 2_000, buys: 100, buyers: 140 },
  { id: 'not-strong', risks: safe },
  // What is wrong in reality.
  { id: 'hidden-direction', symbol: 'NO\u202eVA' },
  { id: 'long-symbol', symbol: 'N'.repeat(200) },
  { id: 'emoji', symbol: '🚀🚀', isListedOnce: true },
  { id: 'symbol-is-a-number', symbol: 7 },
  {
    id: 'script-link',
    links: [{ type: 'twitter', url: 'javascript:alert(1)' }, { url: 'http://plain.example' }],
  },
  { id: 'texts', mcap: '100000', liquidity: '20000' },
  { id: 'negative', liquidity: -5 },
  { id: 'no-cap', mcap: null },
  { id: 'text-trades', buys: 'many' },
  { id: 'half-a-buy', buys: 60.5 },
  { id: 'text-change', change: 'up' },
  { id: 'facts-are-null', risks: null },
  { id: '0xAbCdEf0000000000000000000000000000000001', chain: 'base' },
  { id: '0xAbCdEf0000000000000000000000000000000001', chain: 'ethereum', liquidity: 500 },
];
const swapped: Token = {
  id: 'swapped',
  pairs: [{ ...pairOf({ id: 'other' }, 0), quoteToken: { address: 'swapped' }, liquidity: { usd: 5e6 } }],
};

const random = seededRandom(41);
const between = (from: number, to: number) => Math.round(from + random() * (to - from));
/** Tokens whose figures are drawn, many of them near a threshold. */
const drawn = Array.from({ length: 16 }, (_, n): Token => {
  const buys = between(20, 160);
  return {
    id: `drawn-${n}`,
    chain: Object.keys(networks)[n % 3] ?? 'solana',
    hours: [2, 20, 30, 90, 300, 900][n % 6] ?? 2,
    fate: (['flat', 'flat', 'low', 'up', 'flat', 'rug'] as const)[between(0, 5)] ?? 'flat',
    mcap: between(30_000, 1_000_000),
    liquidity: between(5_000, 80_000),
    buys,
    sells: Math.round(buys * between(2, 120) * 0.01),
    day: between(3, 20),
    change: between(-60, 400),
    isPaid: n % 2 === 0,
    ...(n % 2 === 1 && { buyers: Math.round(buys * between(60, 100) * 0.01) }),
    ...(n % 3 !== 2 && { risks: { ...safe, top_10: String(between(10, 60)) } }),
  };
});
/** A token of two days with a new pool. */
const moved: Token = {
  id: 'moved',
  pairs: [
    { ...pairOf({ id: 'moved', hours: 48, mcap: 90_000 }, 0), liquidity: { usd: 300 } },
    { ...pairOf({ id: 'moved' }, 0), pairAddress: 'new-pair-moved' },
  ],
};
const tokens = [...named, swapped, moved, ...drawn];

function pairOf(token: Token, step: number): object {
  const {
    id,
    chain = 'solana',
    hours = 1,
    fate = 'flat',
    buys = 60,
    sells = 40,
    change = 20,
    day = 1,
  } = token;
  const { mcap = 100_000, liquidity = 20_000, symbol = id.slice(0, 8).toUpperCase(), links } = token;
  const course = fate === 'gone' ? courses.flat : courses[fate];
  const [price = 1, depth = 1] = course[Math.min(step, course.length - 1)] ?? [];
  const times = (value: unknown, by: number) => (typeof value === 'number' ? Math.round(value * by) : value);
  const volume = 10_000;
  return {
    chainId: chain,
    dexId: 'synthetic',
    pairAddress: `pair-${id}`,
    baseToken: { address: id, name: `Synthetic ${id.slice(0, 20)}`, symbol },
    quoteToken: quote,
    txns: { h1: { buys, sells }, h24: { buys: times(buys, day), sells: times(sells, day) } },
    volume: { h1: volume, h24: volume * day },
    priceChange: { h1: change },
    liquidity: { usd: times(liquidity, depth) },
    marketCap: times(mcap, price),
    ...(hours > 0 && { pairCreatedAt: beganAt.getTime() - hours * 3_600_000 }),
    ...(links && { info: { socials: links } }),
  };
}

const ofChain = (chain: string) => tokens.filter((token) => (token.chain ?? 'solana') === chain);

/** An entry of a list of DexScreener, which names all tokens but those that GeckoTerminal lists. */
const entryOf = ({ id, chain = 'solana', links }: Token) => ({
  chainId: chain,
  tokenAddress: id,
  ...(links && { links }),
});

function geckoPoolOf({ id, chain = 'solana', buys = 60, sells = 40, buyers }: Token): object {
  const network = networks[chain as keyof typeof networks];
  return {
    id: `${network}_pair-${id}`,
    type: 'pool',
    attributes: { address: `pair-${id}`, transactions: { h1: { buys, sells, buyers, sellers: sells } } },
    relationships: { base_token: { data: { id: `${network}_${id}`, type: 'token' } } },
  };
}

const infoOf = ({ id, risks }: Token) => {
  if (risks === null) return null;
  const { top_10, ...own } = risks as { readonly top_10?: unknown };
  const distribution_percentage = { top_10 };
  return { data: { id, attributes: { ...own, holders: { count: 321, distribution_percentage } } } };
};

const real = (name: string): unknown =>
  JSON.parse(
    readFileSync(new URL(`../../../../packages/market/test/recorded/${name}.json`, import.meta.url), 'utf8'),
  );
const realPairs = (
  real('dexscreener-pairs') as { pairs: { chainId: string; baseToken: { address: string } }[] }
).pairs;
const realInfo = 'HGafL7qFRtS6zYyUMn1jJc3z67itxZYd55D94mfupump';

/** The file's text. */
export function syntheticMarket(): string {
  const lines: string[] = [];
  let atMs = 0;
  const write = (
    source: string,
    path: string,
    said: { readonly json: unknown } | { readonly failed: string },
  ) => {
    lines.push(JSON.stringify({ at: new Date(atMs).toISOString(), source, path, ...said }));
    atMs += 100;
  };
  for (let step = 0; step < steps; step += 1) {
    atMs = beganAt.getTime() + step * everyMs;
    const listed = tokens
      .filter(({ buyers, isListedOnce }) => buyers === undefined && !(isListedOnce && step > 0))
      .map(entryOf);
    const others = realPairs.map(({ chainId, baseToken }) => ({ chainId, tokenAddress: baseToken.address }));
    write('dexscreener-lists', '/token-profiles/latest/v1', { json: listed });
    write('dexscreener-lists', '/token-boosts/latest/v1', { json: [...listed.slice(0, 12), ...others] });
    if (step === 2) write('dexscreener-lists', '/token-boosts/top/v1', { failed: 'rate_limited' });
    else write('dexscreener-lists', '/token-boosts/top/v1', { json: listed.slice(0, 6) });
    write('dexscreener-lists', '/community-takeovers/latest/v1', { json: null });
    for (const [chain, network] of Object.entries(networks)) {
      const data = ofChain(chain)
        .filter(({ buyers }) => buyers !== undefined)
        .map(geckoPoolOf);
      const path = `/networks/${network}/trending_pools?include=base_token&duration=1h`;
      const realPools = chain === 'solana' ? (real('geckoterminal-pool') as { data: object[] }).data : [];
      write('geckoterminal', path, { json: { data: [...data, ...realPools] } });
      write('geckoterminal', `/networks/${network}/new_pools?include=base_token`, { json: { data: [] } });
    }
    for (const chain of Object.keys(networks)) {
      const own = ofChain(chain);
      const isSeen = ({ fate }: Token) => fate !== 'gone' || step < 4;
      for (let at = 0; at < own.length; at += 30) {
        const asked = own.slice(at, at + 30);
        const path = `/tokens/v1/${chain}/${asked.map(({ id }) => id).join(',')}`;
        const pairs = asked.filter(isSeen).flatMap((token) => token.pairs ?? [pairOf(token, step)]);
        if (step === 3 && chain === 'base') write('dexscreener', path, { failed: 'bad_status' });
        else write('dexscreener', path, { json: pairs });
      }
    }
    if (step === 0) writeFacts(write);
    if (step === 0) writeRealMarkets(write);
  }
  return `${lines.join('\n')}\n`;
}

type Write = (
  source: string,
  path: string,
  said: { readonly json: unknown } | { readonly failed: string },
) => void;

function writeFacts(write: Write): void {
  for (const token of tokens) {
    const { id, chain = 'solana', isPaid = false, risks } = token;
    const path = `/networks/${networks[chain as keyof typeof networks]}/tokens/${id}/info`;
    if (id === 'few-hands') write('geckoterminal', path, { failed: 'rate_limited' });
    write('geckoterminal', path, risks === undefined ? { failed: 'refused' } : { json: infoOf(token) });
    const order = { type: 'tokenProfile', status: 'approved', paymentTimestamp: beganAt.getTime() };
    write('dexscreener-orders', `/orders/v1/${chain}/${id}`, { json: isPaid ? [order] : [] });
  }
  write('geckoterminal', `/networks/solana/tokens/${realInfo}/info`, {
    json: real('geckoterminal-token-info'),
  });
}

/** The markets that were recorded, in the form of `/tokens/v1`. */
function writeRealMarkets(write: Write): void {
  for (const [chain, pairs] of Map.groupBy(realPairs, ({ chainId }) => chainId)) {
    const addresses = new Set(pairs.map(({ baseToken: { address } }) => address));
    write('dexscreener', `/tokens/v1/${chain}/${[...addresses].join(',')}`, { json: pairs });
  }
}

if (import.meta.main) writeFileSync(new URL('synthetic-market.ndjson', import.meta.url), syntheticMarket());
