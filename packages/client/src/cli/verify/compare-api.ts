import type { SignalListItem, Statistics } from '../../generated/types.ts';
import type { Sigcast } from '../../sigcast.ts';
import type { LoggedSignal, Problem } from './record.ts';

/** Differences that are named; more are counted. */
const named = 20;
/** What entries state beside the figures of the list. */
const include = ['outcome', 'origin', 'realizable'] as const;

/** All signals of the API, as they are when they are read. */
export async function listAll(
  { signals }: Sigcast,
  progress: (count: number) => void,
): Promise<SignalListItem[]> {
  const all: SignalListItem[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await signals.list({ limit: 100, include, ...(cursor && { cursor }) });
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
  for (const signal of listed) {
    const { id } = signal;
    seen.add(id);
    const known = logged.get(id);
    if (known === undefined) {
      problems.push(`The API lists the signal ${id}, which is not in the log`);
      continue;
    }
    // It may have been decided after the API was read.
    const isNewer = (known.decided ?? 0) >= before;
    const figures = [...figuresAtEntry(signal, known), ...(isNewer ? [] : figuresOfOutcome(signal, known))];
    for (const [field, api, log] of figures)
      if (log !== undefined && (api ?? null) !== log)
        problems.push(
          `${id}: ${field} is ${String(api ?? null)} in the API, and ${String(log)} in entry ${known.index} and those behind it`,
        );
  }
  for (const [id, { index }] of logged)
    if (index < before && !seen.has(id))
      problems.push(`Entry ${index} is about the signal ${id}, which the API does not list`);
  return counted('api', problems);
}

/** A member of a signal: what the API shows, and what the log states. Undefined where the log does not. */
type Figure = readonly [field: string, api: unknown, log: unknown];

/** What never changes of a signal. Liquidity, volume and holders are the newest ones in the API. */
function figuresAtEntry(
  { type, is_premium, created_at, token, metrics, origin }: SignalListItem,
  known: LoggedSignal,
): Figure[] {
  return [
    ['type', type, known.type],
    ['is_premium', is_premium, known.is_premium],
    ['created_at', created_at, known.created_at],
    ['token.chain', token.chain, known.chain],
    ['token.contract', token.contract, known.contract],
    ['token.symbol', token.symbol, known.symbol],
    ['metrics.mcap_entry', metrics.mcap_entry, known.mcap_entry],
    ['origin.rule', origin?.rule, known.origin === null ? null : known.origin?.rule],
    ['origin.observed_at', origin?.observed_at, known.origin?.observed_at],
  ];
}

/** What never changes of a decision. The highest market cap may still rise, and the result of a position may change until its exit. */
function figuresOfOutcome(
  { performance, outcome, realizable }: SignalListItem,
  known: LoggedSignal,
): Figure[] {
  const athRoi = (((known.mcap_ath ?? 0) / known.mcap_entry - 1) * 100).toFixed(2);
  // Published with two decimals.
  const isLower = performance.ath_roi < Number(athRoi) - 0.011;
  return [
    ['performance.status', performance.status, known.status],
    ['performance.ath_roi', performance.ath_roi, isLower ? `${athRoi} or more` : undefined],
    ['outcome.status', outcome?.status, known.outcome && known.status],
    ['outcome.decided_at', outcome?.decided_at, known.outcome?.decided_at],
    ['outcome.rule', outcome?.rule, known.outcome?.rule],
    [
      'outcome.observations',
      outcome && String(outcome.observations),
      known.outcome && String(known.outcome.observations),
    ],
    ...(['rule', 'roi', 'entered_at', 'exited_at', 'exit'] as const).map(
      (member): Figure => [`realizable.${member}`, realizable?.[member], known.realizable?.[member]],
    ),
  ];
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
