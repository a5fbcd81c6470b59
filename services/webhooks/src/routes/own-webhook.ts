import { SigcastError } from '@sigcast/contracts';
import { identityOf } from '@sigcast/http';
import type { Request } from 'express';
import type { Subscription, SubscriptionStore } from '../domain/subscription.ts';

/**
 * The subscription in the path.
 * @throws {SigcastError} NOT_FOUND when the caller has no such subscription, also when another account has it.
 */
export async function ownWebhook(subscriptions: SubscriptionStore, req: Request): Promise<Subscription> {
  const found = await subscriptions.find(identityOf(req).subject, String(req.params.webhookId));
  if (!found) throw unknownWebhook();
  return found;
}

export function unknownWebhook(): SigcastError {
  return new SigcastError('NOT_FOUND', 'There is no such webhook');
}
