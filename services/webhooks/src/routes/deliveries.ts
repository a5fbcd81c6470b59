import type { OperationOf } from '@sigcast/contracts';
import { listMeta, type OperationHandlers } from '@sigcast/http';
import {
  type DeliveryLog,
  detailOf,
  retryDelivery,
  toDelivery,
  toDeliveryDetail,
} from '../domain/delivery.ts';
import { fromCursor, toCursor } from '../domain/delivery-cursor.ts';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { ownDelivery, ownWebhook } from './own.ts';

/** Answers the operations of the log of deliveries. */
export function deliveryHandlers(deps: {
  readonly subscriptions: SubscriptionStore;
  readonly deliveries: DeliveryLog;
  readonly now: () => number;
}) {
  const { subscriptions, deliveries: log, now } = deps;
  return {
    listDeliveries: async ({ path, query: { page = 1, cursor, ...query }, req }) => {
      const after = cursor === undefined ? { page } : fromCursor(cursor);
      const { id } = await ownWebhook(subscriptions, req, path);
      const { total, items, more } = await log.list(id, { ...query, after });
      const last = items.at(-1);
      const nextCursor = more && last ? toCursor({ at: last.createdAt, id: last.id }) : null;
      const meta = listMeta({ total, page, limit: query.limit, nextCursor });
      return { data: items.map(toDelivery), meta };
    },
    getDelivery: async ({ path, req }) => {
      const { record } = await ownDelivery(deps, req, path);
      return { data: await detailOf(record, log) };
    },
    retryDelivery: async ({ path, req }) => {
      const { record, webhook } = await ownDelivery(deps, req, path);
      // The body is read first: if the read failed after the delivery was made due, the client would ask for another attempt.
      const body = await log.bodyOf(record);
      const due = await retryDelivery(record, { log, disabled: webhook.disabled !== null, now });
      return { data: toDeliveryDetail(due, body ?? null) };
    },
  } satisfies Partial<OperationHandlers<OperationOf<'webhooks'>>>;
}
