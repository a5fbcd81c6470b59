import type { ListMeta, SignalListItem, SignalStatus, WebhookPayload } from '@sigcast/contracts';
import { letsThrough, type SignalPage } from '../../api/signal-filter.ts';

/** An event and when it came, on the clock of `performance.now()`. */
export type Received = { readonly payload: WebhookPayload; readonly atMs: number };

/** How far a signal has got. It never goes back, so of two things said of it the further one is the newer. */
const progress: Readonly<Record<SignalStatus, number>> = { active: 0, winner: 1, dead: 2, rugged: 2 };

/**
 * A page of signals with the events that came since it was asked for. The answer may know of some of them already;
 * nothing is counted twice for that. What events can't tell (the far end of a page, figures that change without an
 * event) the next answer does.
 */
export function withEvents(page: SignalPage, events: readonly Received[]): SignalPage {
  return events.reduce(
    (now, { payload, atMs }) => (atMs < page.askedAtMs ? now : afterEvent(now, payload)),
    page,
  );
}

/**
 * A page of signals after an event: a known signal changes in place or leaves; another one comes in where its time puts
 * it if the filter lets it, on the first page only. The same page when nothing changes.
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
  // Only what is new is one more for certain; what has ended may be further down already.
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
