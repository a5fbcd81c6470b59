import {
  asOfDelayS,
  type BacktestParameters,
  type CreateBacktest,
  type ErrorDetail,
  invalidRequest,
  maxBacktestDays,
  signalTypes,
} from '@sigcast/contracts';
import { requireRecorded } from '../past.ts';
import type { TradeTerms } from '../position/trade.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long after the delay a signal is still bought. A later purchase would not be the trade that was asked for. */
const entryTimeMs = hourMs;

/**
 * What a request asks for, with everything that it leaves out.
 * @throws {SigcastError} INVALID_REQUEST naming each member that is wrong.
 */
export function toParameters(
  { filters, filter = null, as_of, name: _name, ...rest }: CreateBacktest,
  now: Date,
): BacktestParameters {
  const asOf = as_of ?? new Date(now.getTime() - asOfDelayS * 1_000);
  requireRecorded(asOf, now);
  // A signal that was created after `as_of` was not known then.
  const until = filters.until !== undefined && filters.until < asOf ? filters.until : asOf;
  const { since, min_mcap = null, max_mcap = null } = filters;
  const problems: ErrorDetail[] = [];
  const wrong = (field: string, message: string) => problems.push({ field, message });
  if (since >= until) wrong('filters.since', `must be before ${until.toISOString()}, where the signals end`);
  if (asOf.getTime() - since.getTime() > maxBacktestDays * dayMs) {
    wrong('filters.since', `must be at most ${maxBacktestDays} days before as_of`);
  }
  if (min_mcap !== null && max_mcap !== null && min_mcap > max_mcap) {
    wrong('filters.max_mcap', 'must not be below filters.min_mcap');
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return {
    filters: {
      since: since.toISOString(),
      until: until.toISOString(),
      types: filters.types ?? [...signalTypes],
      is_premium: filters.is_premium ?? null,
      min_mcap,
      max_mcap,
      min_liquidity: filters.min_liquidity ?? null,
      min_volume_24h: filters.min_volume_24h ?? null,
      min_holders: filters.min_holders ?? null,
    },
    filter,
    ...rest,
    as_of: asOf.toISOString(),
  };
}

/** The terms of the trades. */
export function termsOf(parameters: BacktestParameters): TradeTerms {
  const delayMs = parameters.delay_minutes * minuteMs;
  return {
    delayMs,
    latestEntryMs: delayMs + entryTimeMs,
    longestMs: parameters.hold_hours * hourMs,
    target: parameters.target ?? undefined,
    stop: parameters.stop ?? undefined,
    sizeUsd: parameters.size_usd,
    feeShare: parameters.costs.fee_percent / 100,
    hasPriceImpact: parameters.costs.price_impact,
  };
}
