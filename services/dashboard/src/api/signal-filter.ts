import type { ListMeta, ListSignalsQuery, SignalListItem, SignalStatus, SignalType } from '@sigcast/client';
import { signalStatusValues, signalTypeValues } from '@sigcast/client';
import { contractKey, type SortFigure, sortFigures } from '@sigcast/contracts';
import { pageNumberIn } from './page-number.ts';
import { listIn } from './query-values.ts';
import { type FigureRange, isInRanges, rangeConditions, rangeParameters, rangesIn } from './signal-ranges.ts';
import { thresholds } from './thresholds.ts';

/** How a list of signals is asked for some tokens: by the beginning of their symbol or name, or by a whole contract address. */
export type TokenQuery = { readonly by: 'search' | 'contract'; readonly text: string };

/** No risk that is known; or none found, and as much known as a premium signal has to have known. */
const riskChoices = ['none-known', 'none-found'] as const;
export type RiskChoice = (typeof riskChoices)[number];

/** The largest share of the ten largest holders that is no risk. */
export const mostTop10Share = thresholds.premium.max_top10_share;

/**
 * The last days of which signals are searched, filtered by their risks or figures, or sorted by a figure, where no first day is
 * chosen: of all, they would be too many.
 */
export const boundedDays = 30;

/** What is unknown meets `ne` and `not`, and no other condition. */
const noneKnown = {
  'origin.risks.mintable': { ne: true },
  'origin.risks.freezable': { ne: true },
  'origin.risks.honeypot': { ne: true },
  not: { 'origin.risks.top10_share': { gt: mostTop10Share } },
};

type Conditions = { readonly any?: readonly object[] } & Readonly<Record<string, unknown>>;

/** The conditions of the API on risks. Sources know the authorities on some chains, and whether buyers can sell on others. */
const riskConditions: Readonly<Record<RiskChoice, Conditions>> = {
  'none-known': noneKnown,
  'none-found': {
    ...noneKnown,
    'origin.risks.top10_share': { exists: true },
    any: [
      { 'origin.risks.mintable': { eq: false }, 'origin.risks.freezable': { eq: false } },
      { 'origin.risks.honeypot': { eq: false } },
    ],
  },
};

/** Which signals are listed. A criterion that is null or an empty list leaves nothing out. */
export type SignalFilter = {
  readonly types: readonly SignalType[];
  readonly statuses: readonly SignalStatus[];
  readonly token: TokenQuery | null;
  readonly risks: RiskChoice | null;
  /** At most one of each figure. */
  readonly ranges: readonly FigureRange[];
  /** The first and the last day they were made on, UTC, such as 2026-11-23. */
  readonly from: string | null;
  readonly to: string | null;
  /** Null: the newest first. */
  readonly sort: SortFigure | null;
  readonly page: number;
};

export const everySignal: SignalFilter = {
  types: [],
  statuses: [],
  token: null,
  risks: null,
  ranges: [],
  from: null,
  to: null,
  sort: null,
  page: 1,
};

/** Signals that were listed: which, and when they were asked for, on the clock of `performance.now()`. */
export type SignalPage = {
  readonly data: readonly SignalListItem[];
  readonly meta: ListMeta;
  readonly filter: SignalFilter;
  /** What the API was asked for. */
  readonly query: ListSignalsQuery;
  readonly askedAtMs: number;
};

const signalsPerPage = 20;

/** The longest that the API accepts, in characters. */
const longest = { search: 100, contract: 200 } as const;
/** Contract addresses have at least so many characters, and symbols hardly ever do. */
const shortestContract = 32;

/** The tokens that a typed text means: by contract address, or by the beginning of symbol or name; null for an empty text. */
export function tokenIn(typed: string): TokenQuery | null {
  const text = typed.trim();
  if (text === '') return null;
  if (/^\S+$/.test(text) && text.length >= shortestContract) {
    return { by: 'contract', text: text.slice(0, longest.contract) };
  }
  return { by: 'search', text: text.replace(/^\$(?=.)/, '').slice(0, longest.search) };
}

/** The filter in a page's address. A wrong value counts as left out. */
export function signalFilterIn(search: string): SignalFilter {
  const query = new URLSearchParams(search);
  const filter = {
    types: listIn(query, 'type', signalTypeValues),
    statuses: listIn(query, 'status', signalStatusValues),
    token: tokenNamed('contract', query.get('contract')) ?? tokenNamed('search', query.get('search')),
    risks: riskChoices.find((choice) => choice === query.get('risks')) ?? null,
    ranges: rangesIn(query),
    from: dayIn(query.get('from')),
    to: dayIn(query.get('to')),
    sort: sortFigures.find((figure) => figure === query.get('sort')) ?? null,
  };
  return { ...filter, page: pageNumberIn(query, signalsPerPage) };
}

/** The parameters of an address that take any value, or are none of the filter. */
const others: readonly string[] = ['contract', 'search', 'page', 'period'];

/** What an address asks of the list that no filter knows, such as `status=bogus`. */
export function unknownFilters(search: string): string[] {
  const taken = new URLSearchParams(signalSearch(signalFilterIn(search)));
  return [...new URLSearchParams(search)].flatMap(([name, value]) => {
    const known = (taken.get(name) ?? '').split(',');
    const isTaken = value.split(',').every((one) => known.includes(one));
    return isTaken || others.includes(name) ? [] : `${name}=${value}`;
  });
}

/** The filter as a page's address has it. */
export function signalSearch(filter: SignalFilter): string {
  const { types, statuses, token, risks, ranges, from, to, sort, page } = filter;
  return [
    ...(types.length > 0 ? [`type=${types.join(',')}`] : []),
    ...(statuses.length > 0 ? [`status=${statuses.join(',')}`] : []),
    ...(token === null ? [] : [`${token.by}=${encodeURIComponent(token.text)}`]),
    ...(risks === null ? [] : [`risks=${risks}`]),
    ...rangeParameters(ranges),
    ...(from === null ? [] : [`from=${from}`]),
    ...(to === null ? [] : [`to=${to}`]),
    ...(sort === null ? [] : [`sort=${sort}`]),
    ...(page > 1 ? [`page=${page}`] : []),
  ].join('&');
}

/**
 * The API's query for these signals. The days `from` and `to` are included whole.
 * @param bySymbol asks for a searched text as a whole symbol, of which there are few among any number of signals.
 */
export function signalsQuery(filter: SignalFilter, now: Date, bySymbol = false): ListSignalsQuery {
  const { types, statuses, token, to, sort, page } = filter;
  const conditions = conditionsOf(bySymbol ? { ...filter, token: null } : filter);
  const from = filter.from ?? (isBounded(filter) ? firstBoundedDay(to, now) : null);
  return {
    limit: signalsPerPage,
    page,
    ...(types.length > 0 && { type: types }),
    ...(statuses.length > 0 && { status: statuses }),
    ...(token?.by === 'contract' && { contract: token.text }),
    ...(token?.by === 'search' && bySymbol && { symbol: token.text }),
    ...(conditions !== undefined && { filter: JSON.stringify(conditions) }),
    ...(sort !== null && { sort }),
    // The API leaves out a signal that was made exactly at `since`.
    ...(from !== null && { since: new Date(Date.parse(from) - 1) }),
    ...(to !== null && { until: endOf(to) }),
  };
}

/** The conditions of the API on figures, risks and the beginning of symbols and names, in upper or lower case. */
function conditionsOf({ risks, ranges, token }: SignalFilter): Conditions | undefined {
  if (risks === null && ranges.length === 0 && token?.by !== 'search') return undefined;
  const conditions: Conditions = {
    ...rangeConditions(ranges),
    ...(risks !== null && riskConditions[risks]),
  };
  if (token?.by !== 'search') return conditions;
  const begins = { starts_with: token.text };
  const named = [{ 'token.symbol': begins }, { 'token.name': begins }];
  return {
    ...conditions,
    any: (conditions.any ?? [{}]).flatMap((one) => named.map((other) => ({ ...one, ...other }))),
  };
}

/** Whether the API has to look at each signal, and so lists only so many. */
export function isBounded({ risks, ranges, sort, token }: SignalFilter): boolean {
  return risks !== null || ranges.length > 0 || sort !== null || token?.by === 'search';
}

/** Whether the filter leaves signals out. */
export function isNarrowed({ sort: _sort, page: _page, ...criteria }: SignalFilter): boolean {
  return Object.values(criteria).some(
    (value) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
}

/** Whether the filter lets a signal through, whatever its risks are: events do not tell them. */
export function letsThrough(filter: SignalFilter, signal: SignalListItem): boolean {
  const { types, statuses, token, ranges, from, to } = filter;
  const madeAtMs = Date.parse(signal.created_at);
  const isChosen = <T>(chosen: readonly T[], value: T) => chosen.length === 0 || chosen.includes(value);
  const isOfDays =
    madeAtMs >= Date.parse(from ?? signal.created_at) &&
    madeAtMs <= (to === null ? madeAtMs : endOf(to).getTime());
  const isOfKind = isChosen(types, signal.type) && isChosen(statuses, signal.performance.status);
  const isOfToken = token === null || isOf(token, signal);
  return isOfKind && isOfDays && isOfToken && isInRanges(ranges, signal);
}

function isOf({ by, text }: TokenQuery, { token }: SignalListItem): boolean {
  if (by === 'contract') return contractKey(token.contract) === contractKey(text);
  return [token.symbol, token.name].some((name) => name.toLowerCase().startsWith(text.toLowerCase()));
}

/** The first of the days up to the last chosen one, or up to today. */
function firstBoundedDay(to: string | null, now: Date): string {
  const last = new Date(to ?? now);
  last.setUTCDate(last.getUTCDate() - boundedDays + 1);
  return last.toISOString().slice(0, 10);
}

const endOf = (day: string) => new Date(`${day}T23:59:59.999Z`);

function tokenNamed(by: TokenQuery['by'], text: string | null): TokenQuery | null {
  return text === null || text === '' || text.length > longest[by] ? null : { by, text };
}

function dayIn(text: string | null): string | null {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : null;
}
