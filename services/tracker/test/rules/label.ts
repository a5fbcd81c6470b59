import type { Followed, MarketObservation, Thresholds } from '@sigcast/outcomes';
import type { Labelled } from './samples.ts';

/**
 * The decisions about a history, read off the definitions of docs/figures.md over the whole history at once: for each
 * observation, all pairs of earlier ones are tried. It is slow, remembers nothing and shares no code with the rules.
 */
export function label(
  history: readonly MarketObservation[],
  { mcapEntry, liquidityEntry, createdAt, status: from }: Followed,
  { winner, rugged, dead }: Thresholds,
): Labelled[] {
  const times = history.map(({ observedAt }) => observedAt.getTime());
  const isNewest = (time: number, n: number) => times.slice(0, n).every((earlier) => earlier < time);
  const all = history.filter(({ observedAt }, n) => observedAt >= createdAt && isNewest(Number(times[n]), n));
  const minutes = (one: number, other: number) =>
    (Number(all[other]?.observedAt) - Number(all[one]?.observedAt)) / 60_000;
  /** Positions of observations of the market. */
  const markets = all.flatMap((each, n) => (each.kind === 'market' ? [n] : []));
  const figures = (n: number) => {
    const found = all[n];
    if (found?.kind !== 'market') throw new Error(`${n} is no observation of the market`);
    return found;
  };
  const marketsFrom = (first: number, last: number) => markets.filter((n) => n >= first && n <= last);

  /** The first of those positions at the end that all have the property. */
  const startOfRun = (positions: readonly number[], has: (n: number) => boolean) =>
    positions[positions.findLastIndex((n) => !has(n)) + 1];

  const winnerAt = (n: number) => {
    const isHigh = (one: number) =>
      figures(one).mcap >= winner.multiple * mcapEntry && figures(one).liquidity >= winner.min_liquidity_usd;
    const first = startOfRun(marketsFrom(0, n), isHigh);
    return first !== undefined && minutes(first, n) >= winner.sustained_minutes ? [first, n] : undefined;
  };

  const ruggedAt = (n: number) => {
    const inRow = marketsFrom(0, n).slice(-rugged.confirmations);
    const [first] = inRow;
    if (first === undefined || inRow.length < rugged.confirmations) return undefined;
    const earlier = marketsFrom(0, first - 1);
    const known = earlier.filter(
      (one) => minutes(one, first) <= rugged.window_minutes || one === earlier.at(-1),
    );
    const most = Math.max(...known.map((one) => figures(one).liquidity));
    const high = known.findLast((one) => figures(one).liquidity === most);
    const reference = high === undefined ? liquidityEntry : most;
    const isGone = (one: number) => {
      const { liquidity } = figures(one);
      if (liquidityEntry >= rugged.min_liquidity_usd && liquidity < rugged.min_liquidity_usd) return true;
      return reference > 0 && liquidity <= rugged.remaining_share * reference;
    };
    return inRow.every(isGone) ? [...(high === undefined ? [] : [high]), ...inRow] : undefined;
  };

  const deadAt = (n: number) => {
    const inRow = all[n]?.kind === 'market' ? marketsFrom(0, n).slice(-dead.confirmations) : [];
    const isLow = (one: number) => figures(one).mcap < dead.share * mcapEntry;
    if (inRow.length === dead.confirmations && inRow.every(isLow)) return inRow;
    const isSilent = (one: number) => all[one]?.kind === 'absent' || figures(one).volume24h === 0;
    const first = startOfRun(
      Array.from({ length: n + 1 }, (_, one) => one),
      isSilent,
    );
    return first !== undefined && minutes(first, n) >= dead.silent_hours * 60 ? [first, n] : undefined;
  };

  const made: Labelled[] = [];
  for (const [n, { kind, observedAt }] of all.entries()) {
    const status = made.at(-1)?.status ?? from;
    if (status === 'dead' || status === 'rugged') break;
    const onMarket = kind === 'market';
    const found = [
      { status: 'rugged', basis: onMarket ? ruggedAt(n) : undefined },
      { status: 'dead', basis: status === 'active' ? deadAt(n) : undefined },
      { status: 'winner', basis: status === 'active' && onMarket ? winnerAt(n) : undefined },
    ] as const;
    const decided = found.find(({ basis }) => basis !== undefined);
    if (decided?.basis === undefined) continue;
    const observations = decided.basis.flatMap((one) => all[one]?.observedAt ?? []);
    made.push({ status: decided.status, decidedAt: observedAt, observations });
  }
  return made;
}
