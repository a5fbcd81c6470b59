import type { DeliveryQuery } from '../domain/delivery.ts';
import { indexNames } from './indexes.ts';
import { deliveryId } from './new-deliveries.ts';

/** The most deliveries that are sorted in memory. If more match, the newest are found quickly by scanning the log. */
const maxSorted = 1_000;

type Criteria = Pick<DeliveryQuery, 'status' | 'event' | 'http_status' | 'since'>;

/** The most events of one signal that a filter covers. A signal has one event for each change of its status. */
export const maxEventsOfSignal = 1_000;

/** The filter of a query, the index that counts its deliveries, and the index that lists them, by their number. */
type LogLookup = {
  readonly filter: object;
  readonly counted: string;
  readonly listed: (total: number) => string;
};

/**
 * Plans a query of a subscription's log by the index that reads the fewest deliveries. `events`: the ids of the events of one
 * signal, if the query names a signal.
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
    listed: (total) => (index === indexNames.due && total > maxSorted ? logIndex(criteria) : index),
  };
}

function indexFor(criteria: Criteria): string {
  const { status, http_status: answered } = criteria;
  if (answered !== undefined && !isSuccess(criteria)) return indexNames.answered;
  if (status === 'failed') return indexNames.failed;
  if (status === 'retrying') return indexNames.retrying;
  if (status === 'pending') return indexNames.due;
  return logIndex(criteria);
}

function logIndex({ event }: Criteria): string {
  return event === undefined ? indexNames.log : indexNames.ofEvent;
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
  if (isSuccess(criteria)) return { status: 'delivered', failure_status: { $exists: false } };
  return { failure_status: answered === 'none' ? 0 : Number(answered) };
}

/** Whether the query asks for deliveries whose last attempt succeeded: only status 200 does. */
function isSuccess({ status, http_status: answered }: Criteria): boolean {
  return answered === '200' && (status === undefined || status === 'delivered');
}
