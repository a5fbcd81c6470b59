import type { DeliveryQuery } from '../domain/delivery.ts';
import { indexNames } from './indexes.ts';
import { deliveryId } from './new-deliveries.ts';

/** So many deliveries are sorted in memory; of more, the newest are soon found in the log. */
const mostSorted = 1_000;

type Criteria = Pick<DeliveryQuery, 'status' | 'event' | 'http_status' | 'since'>;

/** A signal has one event for each change of its status; of one that has more, these are looked at. */
export const mostEventsOfSignal = 1_000;

/** Which deliveries, the index to count them by, and the one to list them by when there are so many. */
export type LogLookup = {
  readonly filter: object;
  readonly counted: string;
  readonly listed: (total: number) => string;
};

/**
 * How a subscription's log is asked: by the index that leads to the fewest deliveries. `events`: the ids of the events of
 * the signal that is asked for, if one is.
 */
export function logLookup(
  subscription: string,
  criteria: Criteria,
  events: readonly string[] | undefined,
): LogLookup {
  const ofEvents = events && { _id: { $in: events.map((id) => deliveryId(id, subscription)) } };
  const filter = { subscription, ...ofEvents, ...conditions(criteria) };
  const index = events ? '_id_' : indexFor(criteria);
  return {
    filter,
    counted: index,
    listed: (total) => (index === indexNames.due && total > mostSorted ? indexNames.log : index),
  };
}

function indexFor(criteria: Criteria): string {
  const { status, http_status: answered } = criteria;
  if (answered !== undefined && !isSuccess(criteria)) return indexNames.answered;
  if (status === 'failed') return indexNames.failed;
  if (status === 'retrying') return indexNames.retrying;
  if (status === 'pending') return indexNames.due;
  return indexNames.log;
}

function conditions(criteria: Criteria): object {
  const { status, event, http_status: answered, since } = criteria;
  return {
    ...statusCondition(status),
    ...(answered !== undefined && answerCondition(criteria, answered)),
    ...(event !== undefined && { event }),
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
