import type { SignalListItem, WebhookPayload } from '@sigcast/contracts';
import type { Answer } from '../../api/http.ts';
import { type SignalFilter, signalsPerPage } from '../../api/signal-filter.ts';

/**
 * A page of signals after an event: a new signal comes in at the top of the first page if the filter lets it, a known
 * one changes in place or leaves. What an event can't tell (the far end of a page, exact totals) the next request does.
 */
export function afterEvent(
  page: Answer<SignalListItem[]>,
  filter: SignalFilter,
  { event, data: signal }: WebhookPayload,
): Answer<SignalListItem[]> {
  const shown = page.data.some(({ id }) => id === signal.id);
  if (shown) {
    const data = matches(filter, signal)
      ? page.data.map((item) => (item.id === signal.id ? signal : item))
      : page.data.filter(({ id }) => id !== signal.id);
    return {
      ...page,
      data,
      meta: { ...page.meta, total: page.meta.total - (page.data.length - data.length) },
    };
  }
  if (event !== 'signal.new' || filter.page !== 1 || !matches(filter, signal)) return page;
  const data = [signal, ...page.data]
    .sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id))
    .slice(0, signalsPerPage);
  const total = page.meta.total + 1;
  return { ...page, data, meta: { ...page.meta, total, total_pages: Math.ceil(total / page.meta.per_page) } };
}

function matches({ types, statuses }: SignalFilter, signal: SignalListItem): boolean {
  return (
    (types.length === 0 || types.includes(signal.type)) &&
    (statuses.length === 0 || statuses.includes(signal.performance.status))
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
