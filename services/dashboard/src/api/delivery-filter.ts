import type { DeliveryState, SentEventType } from '@sigcast/contracts';

/** Which deliveries are listed; null: whatever it is. */
export type DeliveryFilter = {
  readonly status: DeliveryState | null;
  readonly event: SentEventType | null;
  /** What was last answered: an HTTP status, or `none`. */
  readonly answered: string | null;
  readonly signal: string | null;
  readonly page: number;
};

export const everyDelivery: DeliveryFilter = {
  ...{ status: null, event: null, answered: null, signal: null, page: 1 },
};

/** What deliveries can be filtered by, with its words. */
export const stateWords: Readonly<Record<DeliveryState, string>> = {
  pending: 'Pending',
  retrying: 'Retrying',
  delivered: 'Delivered',
  failed: 'Failed',
};

/** Every event that can be sent. The names are what receivers get, so they are shown as they are. */
const events: Readonly<Record<SentEventType, true>> = {
  'signal.new': true,
  'signal.winner': true,
  'signal.dead': true,
  'signal.rugged': true,
  'webhook.failing': true,
  'webhook.disabled': true,
  'webhook.test': true,
};
export const sentEvents = Object.keys(events) as SentEventType[];

const deepestPage = 500;

/** The filter in a page's address; what is not understood counts as left out. */
export function deliveryFilterIn(search: string): DeliveryFilter {
  const query = new URLSearchParams(search);
  const page = Number(query.get('page') ?? 1);
  return {
    status: oneOf(Object.keys(stateWords) as DeliveryState[], query.get('status')),
    event: oneOf(sentEvents, query.get('event')),
    answered: matching(/^(none|[1-5]\d\d)$/, query.get('http_status')),
    signal: matching(/^sig_[0-9A-Za-z]{20,26}$/, query.get('signal_id')),
    page: Number.isInteger(page) && page >= 1 && page <= deepestPage ? page : 1,
  };
}

/** The filter as a query, of a page's address and of the API alike. */
export function deliveryQuery({ status, event, answered, signal, page }: DeliveryFilter): URLSearchParams {
  return new URLSearchParams({
    ...(status !== null && { status }),
    ...(event !== null && { event }),
    ...(answered !== null && { http_status: answered }),
    ...(signal !== null && { signal_id: signal }),
    ...(page > 1 && { page: String(page) }),
  });
}

/** Whether deliveries are left out. */
export function isFiltered({ page: _page, ...criteria }: DeliveryFilter): boolean {
  return Object.values(criteria).some((value) => value !== null);
}

function oneOf<T extends string>(values: readonly T[], text: string | null): T | null {
  return values.find((value) => value === text) ?? null;
}

function matching(pattern: RegExp, text: string | null): string | null {
  return text !== null && pattern.test(text) ? text : null;
}
