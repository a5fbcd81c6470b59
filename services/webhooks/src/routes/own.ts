import { SigcastError } from '@sigcast/contracts';
import { identityOf } from '@sigcast/http';
import type { Request } from 'express';
import type { DeliveryLog, DeliveryRecord } from '../domain/delivery.ts';
import type { Subscription, SubscriptionStore } from '../domain/subscription.ts';

/**
 * A subscription of the caller.
 * @throws {SigcastError} NOT_FOUND when the caller has no such subscription, also when another account has it.
 */
export async function ownWebhook(
  subscriptions: SubscriptionStore,
  req: Request,
  { webhook_id: id }: { readonly webhook_id: string },
): Promise<Subscription> {
  const found = await subscriptions.find(identityOf(req).subject, id);
  if (!found) throw unknownWebhook();
  return found;
}

/**
 * A delivery of the caller, and its webhook.
 * @throws {SigcastError} NOT_FOUND when the caller has no such delivery.
 */
export async function ownDelivery(
  {
    subscriptions,
    deliveries,
  }: { readonly subscriptions: SubscriptionStore; readonly deliveries: DeliveryLog },
  req: Request,
  path: { readonly webhook_id: string; readonly delivery_id: string },
): Promise<{ readonly record: DeliveryRecord; readonly webhook: Subscription }> {
  const webhook = await ownWebhook(subscriptions, req, path);
  const record = await deliveries.find(webhook.id, path.delivery_id);
  if (!record) throw new SigcastError('NOT_FOUND', 'There is no such delivery');
  return { record, webhook };
}

export function unknownWebhook(): SigcastError {
  return new SigcastError('NOT_FOUND', 'There is no such webhook');
}
