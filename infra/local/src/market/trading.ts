import { seededRandom } from '@sigcast/runtime';
import { namesOf } from './names.ts';
import { marketAt, type Token } from './token.ts';

/** What the market says of a token beside its price: who trades it, since when, and what is known of its holders. */
export type Trading = {
  readonly symbol: string;
  readonly name: string;
  /** Its accounts and its website. */
  readonly handle: string;
  readonly pooledAtMs: number;
  readonly volume: { readonly h1: number; readonly h24: number };
  readonly buys: { readonly h1: number; readonly h24: number };
  readonly sells: { readonly h1: number; readonly h24: number };
  readonly buyers1h: number;
  readonly change1h: number;
  readonly isPaid: boolean;
  readonly holders: number;
  readonly top10Percent: number;
  readonly isMintable: boolean;
  readonly isHoneypot: boolean;
};

const msPerHour = 3_600_000;
/** Hours between which the ages of so many of a hundred tokens are. */
const ages: readonly (readonly [share: number, from: number, to: number])[] = [
  [0.55, 0, 20],
  [0.15, 25, 71],
  [0.1, 73, 167],
  [0.12, 170, 710],
  [1, 730, 5_000],
];

/** The trading of a token at an instant. The same token and instant give the same figures. */
export function tradingAt(token: Token, atMs: number): Trading | undefined {
  const market = marketAt(token, atMs);
  if (market === undefined) return undefined;
  const random = seededRandom(Number.parseInt(token.address.slice(-16, -8), 16));
  const between = (from: number, to: number) => from + random() * (to - from);
  const names = namesOf(random);
  const ageHours = ageOf(random);
  const isTrap = random() < 0.15;
  const hourShare = ageHours < 20 ? between(0.3, 1) : between(0.05, 0.45);
  const trades24h = Math.round(between(120, 4_000));
  const trades1h = Math.round(trades24h * hourShare * between(0.9, 1.1));
  const sellShare = isTrap && random() < 0.4 ? 0.02 : between(0.25, 0.55);
  const parts = (trades: number) =>
    [Math.round(trades * (1 - sellShare)), Math.round(trades * sellShare)] as const;
  const [[buys1h, sells1h], [buys24h, sells24h]] = [parts(trades1h), parts(trades24h)];
  return {
    ...names,
    pooledAtMs: token.bornAtMs - ageHours * msPerHour,
    volume: { h1: Math.round(market.volume24h * hourShare), h24: market.volume24h },
    buys: { h1: buys1h, h24: buys24h },
    sells: { h1: sells1h, h24: sells24h },
    buyers1h: Math.round(buys1h * between(0.45, 0.95)),
    change1h: Math.round(between(-30, isTrap ? 1_500 : 120) * 10) / 10,
    isPaid: random() < 0.4,
    holders: Math.round(between(50, 4_000)),
    top10Percent: Math.round(between(8, isTrap ? 90 : 40) * 100) / 100,
    isMintable: isTrap && random() < 0.3,
    isHoneypot: isTrap && random() < 0.2,
  };
}

function ageOf(random: () => number): number {
  const drawn = random();
  let passed = 0;
  for (const [share, from, to] of ages) {
    passed += share;
    if (drawn < passed || share === 1) return from + random() * (to - from);
  }
  return 0;
}
