import { type SentEventType, sentEventTypeValues } from '@sigcast/client';
import type { DeliveryState } from '@sigcast/contracts';
import { pageNumberIn } from './page-number.ts';
import { matching } from './query-values.ts';

/** Which deliveries are listed. A criterion that is null leaves nothing out. */
export type DeliveryFilter = {
  readonly status: DeliveryState | null;
  readonly event: SentEventType | null;
  /** The receiver's last answer: an HTTP status, or `none`. */
  readonly answered: string | null;
  readonly signal: string | null;
  readonly page: number;
};

export const everyDelivery: DeliveryFilter = {
  status: null,
  event: null,
  answered: null,
  signal: null,
  page: 1,
};

/** The states that deliveries can be filtered by, in words. */
export const stateWords: Readonly<Record<DeliveryState, string>> = {
  pending: 'Waiting',
  retrying: 'Retrying',
  delivered: 'Delivered',
  failed: 'Failed',
};

/** Deliveries on a page of the log. */
export const deliveriesPerPage = 48;

/** The filter in a page's address. A wrong value counts as left out. */
export function deliveryFilterIn(search: string): DeliveryFilter {
  const query = new URLSearchParams(search);
  return {
    status: oneOf(Object.keys(stateWords) as DeliveryState[], query.get('status')),
    event: oneOf(sentEventTypeValues, query.get('event')),
    answered: matching(/^(none|[1-5]\d\d)$/, query.get('http_status')),
    signal: matching(/^sig_[0-9A-Za-z]{20,26}$/, query.get('signal_id')),
    page: pageNumberIn(query, deliveriesPerPage),
  };
}

/** The filter as a query, which is the same in a page's address and for the API. */
export function deliveryQuery({ status, event, answered, signal, page }: DeliveryFilter): URLSearchParams {
  return new URLSearchParams({
    ...(status !== null && { status }),
    ...(event !== null && { event }),
    ...(answered !== null && { http_status: answered }),
    ...(signal !== null && { signal_id: signal }),
    ...(page > 1 && { page: String(page) }),
  });
}

/** Whether the filter leaves deliveries out. */
export function isFiltered({ page: _page, ...criteria }: DeliveryFilter): boolean {
  return Object.values(criteria).some((value) => value !== null);
}

function oneOf<T extends string>(values: readonly T[], text: string | null): T | null {
  return values.find((value) => value === text) ?? null;
}
