import { seededRandom } from '@sigcast/runtime';
import { pick } from './pick.ts';

/** The fates of tokens in the simulated market. */
export const fates = [
  'steady',
  'winner',
  'spike',
  'slow-death',
  'silent',
  'rug',
  'winner-then-rug',
  'vanishes',
] as const;
export type Fate = (typeof fates)[number];

/**
 * How many of a hundred tokens have each fate: a market in which most signals come to little, one in six wins, and losses
 * are larger than gains are frequent. docs/figures.md publishes the mix and what comes of it.
 */
export const fateMix: Readonly<Record<Fate, number>> = {
  steady: 30,
  winner: 16,
  spike: 8,
  'slow-death': 22,
  silent: 7,
  rug: 8,
  'winner-then-rug': 4,
  vanishes: 5,
};

/** At this share of a token's life, its market cap is this many times the first one. */
type Point = readonly [life: number, factor: number];

type Course = {
  readonly points: readonly Point[];
  /** The share of the token's life after which most of the liquidity is gone. */
  readonly ruggedAt?: number;
  /** The share of the token's life after which nobody trades. */
  readonly silentAt?: number;
  /** The share of the token's life after which the market does not know it any more. */
  readonly goneAt?: number;
};

const points = (...given: readonly Point[]) => given;

const courses: Readonly<Record<Fate, Course>> = {
  steady: { points: points([0.3, 1.3], [0.6, 0.8], [1, 1.1]) },
  // Rises slowly enough that who buys a minute after the signal, at a fifth of a life of minutes, still doubles the money.
  winner: { points: points([0.2, 1.5], [0.3, 2.4], [0.6, 4.5], [1, 3]) },
  // Above twice the first market cap for less than a hundredth of its life: too short to win.
  spike: { points: points([0.3, 1.1], [0.305, 5], [0.31, 1.1], [1, 0.9]) },
  'slow-death': { points: points([0.1, 1.4], [0.5, 0.05], [1, 0.03]) },
  silent: {
    points: points([0.2, 0.7], [1, 0.6]),
    silentAt: 0.2,
  },
  rug: {
    points: points([0.3, 1.6], [0.31, 0.01], [1, 0.005]),
    ruggedAt: 0.305,
  },
  'winner-then-rug': {
    points: points([0.2, 1.5], [0.3, 2.5], [0.6, 2.8], [0.61, 0.02], [1, 0.01]),
    ruggedAt: 0.605,
  },
  vanishes: {
    points: points([0.2, 1.2], [0.5, 0.2], [1, 0.2]),
    goneAt: 0.5,
  },
};

const minuteMs = 60_000;

/** The lifetimes of tokens in milliseconds: `days` in the past, `minutes` in the demo, `seconds` in tests. */
export const lives = { days: 72 * 60 * minuteMs, minutes: 5 * minuteMs, seconds: 20_000 } as const;
export type Life = keyof typeof lives;
const lifeNames = Object.keys(lives) as Life[];

/** The market of a token at an instant, in US dollars. */
export type Market = {
  readonly mcap: number;
  readonly liquidity: number;
  readonly volume24h: number;
};

/** A token, as its address encodes it. The market stores nothing, so every process of it gives the same answers. */
export type Token = {
  readonly address: string;
  readonly bornAtMs: number;
  readonly fate: Fate;
  readonly life: Life;
};

/** Each fate as often as among a hundred tokens. */
const mixedFates = fates.flatMap((fate) => Array.from({ length: fateMix[fate] }, () => fate));

/**
 * Makes a token, by default of a fate of the mix. Its address encodes the time of its birth (to the second), its fate and
 * its life.
 */
export function newToken(random: () => number, given: { bornAtMs: number; life: Life; fate?: Fate }): Token {
  const fate = given.fate ?? pick(random, mixedFates);
  const born = Math.floor(given.bornAtMs / 1_000);
  const rest = Array.from({ length: 30 }, () => hexDigit(Math.floor(random() * 16))).join('');
  const address = `0x${born.toString(16).padStart(8, '0')}${hexDigit(fates.indexOf(fate))}${hexDigit(lifeNames.indexOf(given.life))}${rest}`;
  return { address, bornAtMs: born * 1_000, fate, life: given.life };
}

/** The token with this address; undefined for an address that the market did not make. */
export function tokenOf(address: string): Token | undefined {
  const [, born = '', fateDigit = '', lifeDigit = ''] =
    /^0x([0-9a-f]{8})([0-9a-f])([0-9a-f])[0-9a-f]{30}$/.exec(address) ?? [];
  const fate = fates[Number.parseInt(fateDigit, 16)];
  const life = lifeNames[Number.parseInt(lifeDigit, 16)];
  if (fate === undefined || life === undefined) return undefined;
  return { address, bornAtMs: Number.parseInt(born, 16) * 1_000, fate, life };
}

/** The market of a token at an instant, or that of its birth for earlier ones; undefined once it has vanished. */
export function marketAt(token: Token, atMs: number): Market | undefined {
  const { points, ruggedAt = 2, silentAt = 2, goneAt = 2 } = courses[token.fate];
  const age = Math.min(1, Math.max(0, (atMs - token.bornAtMs) / lives[token.life]));
  if (age >= goneAt) return undefined;
  const random = seededRandom(Number.parseInt(token.address.slice(-8), 16));
  const first = Math.round(10 ** (4.9 + random() * 1.6));
  const liquidity = first * (0.08 + random() * 0.2);
  const volume = first * (0.2 + random() * 2);
  // A slow wave of at most 8 %, none at birth.
  const wave = 1 + 0.08 * Math.sin(age * (20 + random() * 40));
  const factor = factorAt(points, age) * wave;
  const cents = (usd: number) => Math.round(usd * 100) / 100;
  return {
    mcap: cents(first * factor),
    liquidity: cents(liquidity * (age >= ruggedAt ? 0.01 : Math.sqrt(factor))),
    volume24h: age >= silentAt ? 0 : cents(volume * factor),
  };
}

/** The share of its life at which a token's market cap is highest, without the wave. Its birth does not count. */
export function highOf({ fate }: Token): number {
  const [life] = courses[fate].points.reduce((highest, point) => (point[1] > highest[1] ? point : highest));
  return life;
}

/** The factor at an age, interpolated between the points on a logarithmic scale. */
function factorAt(points: readonly Point[], age: number): number {
  let [fromAge, fromFactor]: Point = [0, 1];
  for (const [toAge, toFactor] of points) {
    if (age < toAge) {
      const share = (age - fromAge) / (toAge - fromAge);
      return fromFactor * (toFactor / fromFactor) ** share;
    }
    [fromAge, fromFactor] = [toAge, toFactor];
  }
  return fromFactor;
}

function hexDigit(value: number): string {
  return value.toString(16);
}
