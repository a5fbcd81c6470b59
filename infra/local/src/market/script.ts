import {
  type newSignalSchema,
  type observationsSchema,
  type SignalStatus,
  signalTypes,
} from '@sigcast/contracts';
import type { z } from 'zod';
import { namesOf } from './names.ts';
import { type Fate, highOf, lives, marketAt, newToken, type Token } from './token.ts';

/** The body of a request that creates a signal. */
export type MarketSignal = z.input<typeof newSignalSchema>;

/** What the market has of a signal at an instant. */
export type MarketMove = Omit<Observed, 'id' | 'metrics'> & {
  readonly metrics: Required<NonNullable<Observed['metrics']>>;
};
type Observed = z.input<typeof observationsSchema>['observations'][number];

/** A signal of the past with what became of it. */
export type PastSignal = { readonly signal: MarketSignal; readonly moves: readonly MarketMove[] };

/** What becomes of a token, by the final status of its signal. */
const fateOf: Readonly<Record<SignalStatus, Fate>> = {
  active: 'steady',
  winner: 'winner',
  dead: 'slow-death',
  rugged: 'rug',
};

/**
 * The statuses of 25 signals of the past in a row: ten active, four winners, eight dead and three rugged. More are dead than in
 * the demo, whose tokens have no days to die in.
 */
const pastStatuses = (
  'active dead winner active dead rugged active dead active winner dead active rugged ' +
  'dead active winner active dead active dead winner active rugged dead active'
).split(' ') as SignalStatus[];

/** A new signal of a token, with the figures that the market has at the token's birth. */
export function makeSignal(
  random: () => number,
  type: MarketSignal['type'],
  token: Token,
  createdAt?: Date,
): MarketSignal {
  const { symbol, name, handle } = namesOf(random);
  const market = marketAt(token, token.bornAtMs);
  if (!market) throw new Error('a token has no market at its birth');
  return {
    token: {
      symbol,
      name,
      contract: token.address,
      chain: '',
      age_hours: Math.round((0.2 + random() ** 3 * 2_000) * 10) / 10,
      dex_paid: random() < 0.4,
      socials: { twitter: `https://x.com/${handle}`, website: `https://${handle}.example` },
    },
    metrics: {
      mcap_entry: market.mcap,
      volume_24h: market.volume24h,
      holders: Math.round(50 + random() * 4_000),
      liquidity: market.liquidity,
    },
    type,
    is_premium: type === 'premium' || random() < 0.15,
    ...(createdAt ? { created_at: createdAt.toISOString() } : {}),
  };
}

/**
 * Signals spread over the days before `now`, in every type and status, oldest first. The same seed and `now`
 * give the same list.
 */
export function pastSignals(
  random: () => number,
  options: { now: number; count: number; days: number },
): PastSignal[] {
  const spanMs = options.days * 86_400_000;
  return Array.from({ length: options.count }, (_, index) => {
    const createdAt = options.now - spanMs + (spanMs * (index + random() * 0.9)) / options.count;
    // Types change with each signal and statuses with each round of types, so that every pair comes early.
    const type = signalTypes[index % signalTypes.length] ?? 'new';
    const status = pastStatuses[Math.floor(index / signalTypes.length) % pastStatuses.length] ?? 'active';
    const token = newToken(random, { bornAtMs: createdAt, life: 'days', fate: fateOf[status] });
    const signal = makeSignal(random, type, token, new Date(token.bornAtMs));
    return { signal, moves: pastMoves(random, signal, token, { status, until: options.now }) };
  });
}

/** The highest market cap and then the end of a token's life, each only if it was before `until`; else its market then. */
function pastMoves(
  random: () => number,
  signal: MarketSignal,
  token: Token,
  { status, until }: { status: SignalStatus; until: number },
): MarketMove[] {
  const at = (life: number) => token.bornAtMs + lives[token.life] * life;
  const [highAt, endAt] = [at(highOf(token)), at(1)];
  const move = (atMs: number): MarketMove => {
    const market = marketAt(token, atMs);
    if (!market) throw new Error('a token of the past has vanished');
    const factor = market.mcap / signal.metrics.mcap_entry;
    return {
      metrics: {
        mcap_current: market.mcap,
        volume_24h: market.volume24h,
        liquidity: market.liquidity,
        holders: Math.max(1, Math.round(signal.metrics.holders * (0.7 + random() * Math.min(factor, 4)))),
      },
      observed_at: new Date(atMs).toISOString(),
    };
  };
  const ended = endAt <= until;
  return [
    ...(highAt <= until ? [move(highAt)] : []),
    { ...move(Math.min(endAt, until)), ...(ended && status !== 'active' ? { status } : {}) },
  ];
}
