import type { Followed, MarketObservation } from '@sigcast/outcomes';
import { seededRandom } from '@sigcast/runtime';
import fc from 'fast-check';
import { absent, followed, market } from './samples.ts';

/** What happens to a token, by how its observations are made. */
export const kinds = [
  'quiet',
  'winner',
  'winner that is rugged',
  'rug',
  'slow death',
  'silent death',
  'disappearance',
  'recovery',
  'spike',
  'gaps',
  'noise',
] as const;
export type Kind = (typeof kinds)[number];

export type History = {
  readonly kind: Kind;
  readonly signal: Followed;
  readonly observations: readonly MarketObservation[];
};

/** Random numbers of one history. */
type Chance = {
  /** From `min` up to `max`. */
  readonly between: (min: number, max: number) => number;
  readonly isTrue: (share: number) => boolean;
};

/** The market of a token in multiples of the entry; undefined where the source does not know the token. */
type Moment = { readonly mcap: number; readonly liquidity: number; readonly volume24h?: number } | undefined;
type Course = (minutes: number) => Moment;

const usual = { mcap: 1, liquidity: 1 };

/** For each kind, a course over the minutes since the signal's creation. */
const courses: { readonly [Each in Kind]: (chance: Chance) => Course } = {
  quiet: ({ between }) => {
    const level = between(0.3, 1.8);
    return () => ({ mcap: level * between(0.9, 1.1), liquidity: between(0.7, 1.3) });
  },
  winner: ({ between }) => {
    const [from, to] = [between(5, 1_000), between(2.1, 30)];
    return (minutes) => ({ mcap: minutes < from ? between(0.8, 1.9) : to, liquidity: between(0.9, 1.5) });
  },
  'winner that is rugged': ({ between }) => {
    const [from, until, left] = [between(5, 60), between(100, 3_000), between(0, 0.06)];
    return (minutes) => {
      if (minutes < from) return usual;
      return minutes < until ? { mcap: 3, liquidity: between(1, 1.5) } : { mcap: 0.2, liquidity: left };
    };
  },
  // Some before the first observation.
  rug: ({ between, isTrue }) => {
    const [until, left, share] = [isTrue(0.1) ? 0 : between(1, 3_000), between(0, 0.08), between(0, 1.5)];
    return (minutes) => (minutes < until ? usual : { mcap: share, liquidity: left });
  },
  'slow death': ({ between }) => {
    const halvedEach = between(100, 900);
    return (minutes) => {
      const left = 2 ** (-minutes / halvedEach);
      return { mcap: left * between(0.9, 1.1), liquidity: Math.max(0.2, Math.sqrt(left)) };
    };
  },
  'silent death': ({ between }) => {
    const [from, level] = [between(10, 2_500), between(0.2, 1.5)];
    return (minutes) => ({ mcap: level, liquidity: 1, volume24h: minutes < from ? between(1, 9_999) : 0 });
  },
  disappearance: ({ between, isTrue }) => {
    const from = between(10, 2_500);
    return (minutes) => {
      if (minutes < from) return usual;
      return isTrue(0.1) ? { ...usual, volume24h: 0 } : undefined;
    };
  },
  // One low observation, or one without liquidity, each in between good ones.
  recovery: ({ between, isTrue }) => {
    const isOfLiquidity = isTrue(0.5);
    let wasBad = true;
    return () => {
      wasBad = !wasBad && isTrue(0.1);
      if (!wasBad) return { mcap: between(0.5, 1.5), liquidity: between(0.8, 1.2) };
      return isOfLiquidity
        ? { mcap: 1, liquidity: between(0, 0.05) }
        : { mcap: between(0, 0.09), liquidity: 1 };
    };
  },
  // One high observation at a time.
  spike: ({ between, isTrue }) => {
    let wasHigh = true;
    return () => {
      wasHigh = !wasHigh && isTrue(0.1);
      return { mcap: wasHigh ? between(2, 50) : between(0.3, 1.9), liquidity: between(0.9, 1.2) };
    };
  },
  // The poller is away for hours or days, and the source now and then.
  gaps: ({ between, isTrue }) => {
    const [from, until, to] = [between(5, 3_000), between(100, 6_000), between(2, 10)];
    return (minutes) => {
      if (isTrue(0.3)) return undefined;
      if (minutes > until) return { mcap: 0.5, liquidity: 0.01 };
      return { mcap: minutes < from ? 1 : to, liquidity: 1 };
    };
  },
  // Figures on and around every border of the rules.
  noise: ({ between, isTrue }) => {
    const pick = (...values: readonly number[]) => values[Math.floor(between(0, values.length))] ?? 1;
    const calm = isTrue(0.5) ? 0.9 : 0.2;
    return () => {
      if (isTrue(0.05)) return undefined;
      const isCalm = isTrue(calm);
      return {
        mcap: isCalm ? pick(2, 2, 1) : pick(0, 0.0999, 0.1, 0.5, 1, 1.9999, 2, 3),
        liquidity: isCalm ? 1 : pick(0, 0.00499, 0.005, 0.0999, 0.1, 0.1001, 0.5, 1, 1, 1),
        volume24h: isTrue(0.3) ? 0 : 1,
      };
    };
  },
};

/** When the market is asked: each minute at first, rarely in the end, now and then not at all, and some on the minute. */
function instants(kind: Kind, { between, isTrue }: Chance): number[] {
  const isLong = ['silent death', 'disappearance', 'gaps', 'winner that is rugged'].includes(kind);
  const found: number[] = [];
  const isExact = isTrue(0.5);
  for (let minutes = 1; minutes < (isLong ? 9_000 : 4_000) && found.length < 220; ) {
    found.push(isExact ? Math.round(minutes) : minutes);
    const pause = minutes < 60 ? 1 : minutes < 300 ? 5 : 60;
    minutes += pause * (isExact ? 1 : between(0.8, 1.2));
    if (kind === 'gaps' && isTrue(0.03)) minutes += between(60, 5_000);
  }
  return found;
}

/** A history: in the order in which observations are made, with some that come again or too late. */
function historyOf(kind: Kind, chance: Chance): History {
  const course = courses[kind](chance);
  const signal = {
    ...followed,
    mcapEntry: 100_000,
    liquidityEntry: chance.isTrue(0.9) ? 20_000 : 99,
  };
  const observations = instants(kind, chance).map((minutes) => {
    const moment = course(minutes);
    if (moment === undefined) return absent(minutes);
    const { mcap, liquidity, volume24h = 5_000 } = moment;
    return market(minutes, { mcap: mcap * 100_000, liquidity: liquidity * 20_000, volume24h });
  });
  const again = observations.flatMap((each, n) => {
    const late = observations[n - Math.floor(chance.between(0, 5))];
    return late !== undefined && chance.isTrue(0.05) ? [each, late] : [each];
  });
  return { kind, signal, observations: again };
}

/** Any history of a kind. */
export const historiesOf = (kind: Kind): fc.Arbitrary<History> =>
  fc.noShrink(fc.integer()).map((seed) => {
    // Numbers of fast-check prefer borders, which few histories would survive.
    const next = seededRandom(seed);
    const between = (min: number, max: number) => min + next() * (max - min);
    return historyOf(kind, { between, isTrue: (share) => next() < share });
  });
