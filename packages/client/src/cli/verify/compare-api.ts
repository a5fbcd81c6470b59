import type { SignalListItem, Statistics } from '../../generated/types.ts';
import type { Sigcast } from '../../sigcast.ts';
import type { LoggedSignal, Problem } from './record.ts';

/** Differences that are named; more are counted. */
const named = 20;

/** All signals of the API, as they are when they are read. */
export async function listAll(
  { signals }: Sigcast,
  progress: (count: number) => void,
): Promise<SignalListItem[]> {
  const all: SignalListItem[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await signals.list({ limit: 100, ...(cursor && { cursor }) });
    all.push(...page.data);
    progress(all.length);
    cursor = page.meta.next_cursor;
  } while (cursor);
  return all;
}

/**
 * Compares the signals of the API with the log, both ways.
 * @param before how many entries the log had before the API was read: what is behind them may be newer than the API's answer.
 */
export function compareSignals(
  listed: readonly SignalListItem[],
  logged: ReadonlyMap<string, LoggedSignal>,
  before: number,
): Problem[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const { id, type, is_premium, created_at, token, metrics, performance } of listed) {
    seen.add(id);
    const known = logged.get(id);
    if (known === undefined) {
      problems.push(`The API lists the signal ${id}, which is not in the log`);
      continue;
    }
    const differ = [
      ['type', type, known.type],
      ['created_at', created_at, known.created_at],
      ['is_premium', is_premium, known.is_premium],
      ['token.chain', token.chain, known.chain],
      ['token.contract', token.contract, known.contract],
      ['token.symbol', token.symbol, known.symbol],
      ['metrics.mcap_entry', metrics.mcap_entry, known.mcap_entry],
      // It may have been decided after the API was read.
      ...((known.decided ?? 0) < before ? [['performance.status', performance.status, known.status]] : []),
    ].filter(([, api, log]) => api !== log);
    for (const [field, api, log] of differ)
      problems.push(
        `${id}: ${field} is ${String(api)} in the API, and ${String(log)} in entry ${known.index} and those behind it`,
      );
    // The peak may have grown since the decision, and never shrinks. Both have two decimals.
    const peak = ((known.mcap_ath ?? 0) / known.mcap_entry - 1) * 100;
    if ((known.decided ?? before) < before && performance.ath_roi < peak - 0.011)
      problems.push(
        `${id}: performance.ath_roi is ${performance.ath_roi} in the API, and was ${peak.toFixed(2)} in entry ${known.decided} already`,
      );
  }
  for (const [id, { index }] of logged)
    if (index < before && !seen.has(id))
      problems.push(`Entry ${index} is about the signal ${id}, which the API does not list`);
  return counted('api', problems);
}

/** Compares the published statistics of all time with those of the log. */
export function compareStatistics(
  { distribution, total_signals, winners, win_rate, by_type }: Statistics,
  logged: ReadonlyMap<string, LoggedSignal>,
): Problem[] {
  const problems: string[] = [];
  const compare = (
    whose: string,
    published: Readonly<Record<string, number>>,
    of: readonly LoggedSignal[],
  ) => {
    for (const [status, count] of Object.entries(published)) {
      const own = of.filter((one) => one.status === status).length;
      if (own !== count) problems.push(`${whose}${status}: ${count} in the statistics, ${own} in the log`);
    }
  };
  const all = [...logged.values()];
  const totals = (
    whose: string,
    published: { readonly total: number; readonly winners: number; readonly win_rate: number },
    of: readonly LoggedSignal[],
  ) => {
    const won = of.filter(({ status }) => status === 'winner').length;
    const rate = of.length === 0 ? 0 : (won / of.length) * 100;
    const figures = [
      ['signals', published.total, of.length],
      ['winners', published.winners, won],
    ] as const;
    for (const [name, shown, own] of figures)
      if (shown !== own) problems.push(`${whose}${name}: ${shown} in the statistics, ${own} in the log`);
    // Published with two decimals.
    if (!(Math.abs(published.win_rate - rate) < 0.011))
      problems.push(
        `${whose}win_rate: ${published.win_rate} in the statistics, ${rate.toFixed(2)} in the log`,
      );
  };
  totals('', { total: total_signals, winners, win_rate }, all);
  for (const [type, figures] of Object.entries(by_type))
    totals(
      `${type}, `,
      figures,
      all.filter((one) => one.type === type),
    );
  compare('', distribution?.by_status ?? {}, all);
  for (const [type, figures] of Object.entries(distribution?.by_type ?? {}))
    compare(
      `${type}, `,
      figures.by_status,
      all.filter((one) => one.type === type),
    );
  return counted('statistics', problems);
}

function counted(check: string, problems: readonly string[]): Problem[] {
  const more = problems.length - named;
  return [
    ...problems.slice(0, named).map((message) => ({ check, message })),
    ...(more > 0 ? [{ check, message: `and ${more} more differences` }] : []),
  ];
}
