import type { DeliveryQuery } from '../domain/delivery.ts';
import { indexNames } from './indexes.ts';

/** So many deliveries are sorted in memory; of more, the newest are soon found in the log. */
const mostSorted = 1_000;

type Criteria = Pick<DeliveryQuery, 'status' | 'event' | 'http_status' | 'signal_id' | 'since'>;

/** Which deliveries, the index to count them by, and the one to list them by when there are so many. */
export type LogLookup = {
  readonly filter: object;
  readonly counted: string;
  readonly listed: (total: number) => string;
};

/** How a subscription's log is asked: by the index that leads to the fewest deliveries. */
export function logLookup(subscription: string, criteria: Criteria): LogLookup {
  const filter = { subscription, ...conditions(criteria) };
  const index = indexFor(criteria);
  return {
    filter,
    counted: index,
    listed: (total) => (index === indexNames.due && total > mostSorted ? indexNames.log : index),
  };
}

function indexFor(criteria: Criteria): string {
  const { status, event, http_status: answered, signal_id: signal } = criteria;
  if (signal !== undefined) return indexNames.signal;
  if (answered !== undefined && !isSuccess(criteria)) return indexNames.answered;
  if (status === 'failed') return indexNames.failed;
  if (status === 'retrying') return indexNames.retrying;
  if (status === 'pending') return indexNames.due;
  return event === undefined ? indexNames.log : indexNames.events;
}

function conditions(criteria: Criteria): object {
  const { status, event, http_status: answered, signal_id: signal, since } = criteria;
  return {
    ...statusCondition(status),
    ...(answered !== undefined && answerCondition(criteria, answered)),
    ...(event !== undefined && { event }),
    ...(signal !== undefined && { signal_id: signal }),
    ...(since !== undefined && { created_at: { $gt: since } }),
  };
}

function statusCondition(status: Criteria['status']): object {
  if (status === undefined) return {};
  return status === 'retrying' ? { status: 'pending', attempt_count: { $gt: 0 } } : { status };
}

function answerCondition(criteria: Criteria, answered: string): object {
  if (isSuccess(criteria)) return { status: 'delivered' };
  return {
    failure_status: answered === 'none' ? 0 : Number(answered),
    // An earlier version leaves the field as it is when it delivers.
    ...(criteria.status === undefined && { status: { $ne: 'delivered' } }),
  };
}

/** Only an answer of 200 delivers. */
function isSuccess({ status, http_status: answered }: Criteria): boolean {
  return answered === '200' && (status === undefined || status === 'delivered');
}
