import type { ExitKind, Realizable } from '@sigcast/contracts';
import type { Followed, MarketObservation } from '@sigcast/outcomes';

type Market = MarketObservation & { readonly kind: 'market' };

/** The same as what is published, with `roi` not rounded. */
export type LabelledPosition = Realizable;

/**
 * What the exit rule says of a history, read off the definitions of docs/figures.md over the whole history at once, with
 * the pool's two sides counted out. It remembers nothing and shares no code with the rule.
 *
 * @param overAt when the observation was made that decided that the signal is dead or rugged; undefined where none did.
 */
export function labelPosition(
  history: readonly MarketObservation[],
  { createdAt }: Pick<Followed, 'createdAt'>,
  overAt: Date | undefined,
): LabelledPosition | undefined {
  const all = history.flatMap((each) => (each.kind === 'market' ? [each] : []));
  const markets = all.filter(
    ({ observedAt }, n) =>
      observedAt >= createdAt && all.slice(0, n).every((earlier) => earlier.observedAt < observedAt),
  );
  const minutesSince = (from: Date, { observedAt }: Market) =>
    (observedAt.getTime() - from.getTime()) / 60_000;
  const inTime = markets.filter((each) => {
    const age = minutesSince(createdAt, each);
    return age >= 1 && age <= 60;
  });
  const entry = inTime.find(({ mcap, liquidity }) => mcap > 0 && liquidity > 0);
  if (entry === undefined || (overAt !== undefined && entry.observedAt > overAt)) return undefined;

  const held = markets.filter(({ observedAt }) => observedAt >= entry.observedAt);
  const secondOfTwo = (has: (one: Market) => boolean) =>
    held.find((each, n) => held.slice(Math.max(0, n - 1), n).some(has) && has(each));
  const followed = held.filter(({ observedAt }) => overAt === undefined || observedAt <= overAt);
  const exits: { readonly exit: ExitKind; readonly at: Market | undefined }[] = [
    { exit: 'target', at: secondOfTwo(({ mcap }) => mcap - entry.mcap >= entry.mcap) },
    { exit: 'stop', at: secondOfTwo(({ mcap }) => entry.mcap - mcap >= mcap) },
    { exit: 'end', at: held.find((each) => minutesSince(entry.observedAt, each) >= 7 * 24 * 60) },
    { exit: 'end', at: overAt === undefined ? undefined : followed.at(-1) },
  ];
  // Of several at the same observation, the first of this list.
  const [first] = exits
    .flatMap(({ exit, at }) => (at === undefined ? [] : [{ exit, at }]))
    .sort((one, other) => one.at.observedAt.getTime() - other.at.observedAt.getTime());
  const seller = first?.at ?? held.at(-1) ?? entry;
  return {
    rule: 'v1',
    roi: proceeds(entry, seller) - 100,
    entered_at: entry.observedAt.toISOString(),
    exited_at: first?.at.observedAt.toISOString() ?? null,
    exit: first?.exit ?? null,
  };
}

/** Dollars for tokens that 100 dollars buy at one observation, sold at another. The token's supply is 1. */
function proceeds(buyer: Market, seller: Market): number {
  const [dollars, tokens] = pool(buyer);
  const got = tokens - (dollars * tokens) / (dollars + 99);
  const [dollarsThen, tokensThen] = pool(seller);
  if (seller.mcap === 0 || dollarsThen === 0) return 0;
  const paid = dollarsThen - (dollarsThen * tokensThen) / (tokensThen + got);
  return paid - paid / 100;
}

/** Dollars and tokens in a pool. Both are worth the same at its price. */
function pool({ mcap, liquidity }: Market): readonly [dollars: number, tokens: number] {
  return [liquidity / 2, liquidity / 2 / mcap];
}
