import { type SignalStatus, signalStatuses, signalTypes } from '@sigcast/contracts';
import { pick } from './pick.ts';

/** The body of an ingest request, as a producer sends it. */
export type MarketSignal = {
  readonly token: {
    readonly symbol: string;
    readonly name: string;
    readonly contract: string;
    readonly age_hours: number;
    readonly dex_paid: boolean;
    readonly socials: { readonly twitter: string; readonly website: string };
  };
  readonly metrics: {
    readonly mcap_entry: number;
    readonly volume_24h: number;
    readonly holders: number;
    readonly liquidity: number;
  };
  readonly type: (typeof signalTypes)[number];
  readonly is_premium: boolean;
  readonly created_at?: string;
};

/** The body of a patch. */
export type MarketMove = {
  readonly metrics: { readonly mcap_current: number; readonly holders: number };
  readonly status?: SignalStatus;
  readonly observed_at?: string;
};

/** A signal of the past with what became of it. */
export type PastSignal = { readonly signal: MarketSignal; readonly moves: readonly MarketMove[] };

/** Whole words, so that no two of them make a third. */
const firstWords = [
  ...[
    'Amber',
    'Birch',
    'Cedar',
    'Delta',
    'Ember',
    'Fjord',
    'Glint',
    'Halo',
    'Indigo',
    'Juniper',
    'Kite',
    'Lumen',
  ],
  ...[
    'Maple',
    'Nova',
    'Orbit',
    'Pixel',
    'Quartz',
    'Raven',
    'Sierra',
    'Tundra',
    'Umbra',
    'Velvet',
    'Willow',
    'Zenith',
  ],
];
const lastWords = [
  ...['Arc', 'Bay', 'Crest', 'Dune', 'Field', 'Grove', 'Haven', 'Isle'],
  ...['Leaf', 'Mint', 'Peak', 'River', 'Stone', 'Trail', 'Vale', 'Wave'],
];
const hourMs = 3_600_000;

/** How each status ends, as a range of the last market cap over the first. */
const outcomes: Readonly<Record<SignalStatus, readonly [number, number]>> = {
  active: [0.6, 1.8],
  winner: [2, 12],
  dead: [0.05, 0.4],
  rugged: [0, 0.02],
};

/** A new signal with made-up figures. */
export function makeSignal(random: () => number, type: MarketSignal['type'], createdAt?: Date): MarketSignal {
  const [first, last] = [pick(random, firstWords), pick(random, lastWords)];
  const handle = `${first}${last}`.toLowerCase();
  const entry = Math.round(10 ** (4.3 + random() * 2.2));
  return {
    token: {
      symbol: `${first.slice(0, 3)}${last.slice(0, 2)}`.toUpperCase(),
      name: `${first} ${last}`,
      contract: `0x${Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join('')}`,
      age_hours: Math.round((0.2 + random() ** 3 * 2_000) * 10) / 10,
      dex_paid: random() < 0.4,
      socials: { twitter: `https://x.com/${handle}`, website: `https://${handle}.example` },
    },
    metrics: {
      mcap_entry: entry,
      volume_24h: Math.round(entry * (0.2 + random() * 2)),
      holders: Math.round(50 + random() * 4_000),
      liquidity: Math.round(entry * (0.08 + random() * 0.2)),
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
  const spanMs = options.days * 24 * hourMs;
  return Array.from({ length: options.count }, (_, index) => {
    const createdAt = options.now - spanMs + (spanMs * (index + random() * 0.9)) / options.count;
    // Each type meets each status in turn, so that none is missing however few signals there are.
    const type = signalTypes[index % signalTypes.length] ?? 'new';
    const status = signalStatuses[Math.floor(index / signalTypes.length) % signalStatuses.length] ?? 'active';
    const signal = makeSignal(random, type, new Date(createdAt));
    return { signal, moves: pastMoves(random, signal, status, { from: createdAt, to: options.now }) };
  });
}

/** A high on the way, then the end: both within the signal's life and its first three days. */
function pastMoves(
  random: () => number,
  signal: MarketSignal,
  status: SignalStatus,
  life: { from: number; to: number },
): MarketMove[] {
  const [low, high] = outcomes[status];
  const end = low + random() * (high - low);
  const peak = Math.max(end, 1) * (1 + random() * 0.8);
  const lengthMs = Math.min(72 * hourMs, life.to - life.from);
  const peakAt = life.from + lengthMs * (0.1 + random() * 0.4);
  const endAt = life.from + lengthMs * (0.6 + random() * 0.4);
  return [
    move(signal, peak, random, peakAt),
    { ...move(signal, end, random, endAt), ...(status === 'active' ? {} : { status }) },
  ];
}

/** An observation of a market cap that is `factor` times the entry's. */
export function move(signal: MarketSignal, factor: number, random: () => number, at?: number): MarketMove {
  return {
    metrics: {
      mcap_current: Math.round(signal.metrics.mcap_entry * factor * 100) / 100,
      holders: Math.max(1, Math.round(signal.metrics.holders * (0.7 + random() * Math.min(factor, 4)))),
    },
    ...(at === undefined ? {} : { observed_at: new Date(at).toISOString() }),
  };
}
