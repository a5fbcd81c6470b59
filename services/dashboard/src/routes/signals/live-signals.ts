import type { ListMeta, SignalListItem, SignalStatus, WebhookPayload } from '@sigcast/client';
import { isBounded, letsThrough, type SignalPage } from '../../api/signal-filter.ts';

/** An event and when it came, on the clock of `performance.now()`. */
export type Received = { readonly payload: WebhookPayload; readonly atMs: number };

/** The order of statuses. A status never goes back, so of two versions of a signal the one further on is the newer. */
const progress: Readonly<Record<SignalStatus, number>> = { active: 0, winner: 1, dead: 2, rugged: 2 };

/**
 * A page of signals with the events that came since it was requested. The answer may contain some of them already; they are
 * not counted twice. The next answer brings what events can't tell: the end of the page, and figures that change without an
 * event.
 */
export function withEvents(page: SignalPage, events: readonly Received[]): SignalPage {
  return events.reduce(
    (now, { payload, atMs }) => (atMs < page.askedAtMs ? now : afterEvent(now, payload)),
    page,
  );
}

/**
 * A page of signals after an event. A listed signal changes in place, or leaves if the filter does not match any more. On the
 * first page, another signal that the filter matches comes in by its time. If nothing changes, the same object is returned.
 */
export function afterEvent(page: SignalPage, { event, data: signal }: WebhookPayload): SignalPage {
  const { data, filter } = page;
  const known = data.find(({ id }) => id === signal.id);
  if (known !== undefined) {
    if (progress[signal.performance.status] <= progress[known.performance.status]) return page;
    return letsThrough(filter, signal)
      ? { ...page, data: data.map((item) => (item === known ? signal : item)) }
      : { ...page, data: data.filter((item) => item !== known), meta: withTotal(page.meta, -1) };
  }
  if (filter.page !== 1 || !letsThrough(filter, signal)) return page;
  // Events do not tell risks, a sorted list has others in between, and an older signal may be of a day that is not listed: the
  // next answer brings such signals.
  const { risks, sort } = filter;
  if (risks !== null || sort !== null || (isBounded(filter) && event !== 'signal.new')) return page;
  // Only a new signal is certainly one more; one whose status changed may be on a later page already.
  const last = data.length < page.meta.per_page ? undefined : data.at(-1);
  if (event !== 'signal.new' && last !== undefined && newestFirst(signal, last) > 0) return page;
  const next = [...data, signal].sort(newestFirst).slice(0, page.meta.per_page);
  return { ...page, data: next, meta: withTotal(page.meta, 1) };
}

function withTotal(meta: ListMeta, more: number): ListMeta {
  const total = meta.total + more;
  return { ...meta, total, total_pages: Math.ceil(total / meta.per_page) };
}

/** The order of `GET /v1/signals`. */
function newestFirst(a: SignalListItem, b: SignalListItem): number {
  return compare(b.created_at, a.created_at) || compare(b.id, a.id);
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
