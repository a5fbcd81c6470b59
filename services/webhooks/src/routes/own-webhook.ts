import { SigcastError } from '@sigcast/contracts';
import { identityOf } from '@sigcast/http';
import type { Request } from 'express';
import type { Subscription, SubscriptionStore } from '../domain/subscription.ts';

/**
 * The subscription that the path names, if it is the caller's own.
 * @throws {SigcastError} NOT_FOUND otherwise: another account's is never revealed to exist.
 */
export async function ownWebhook(subscriptions: SubscriptionStore, req: Request): Promise<Subscription> {
  const found = await subscriptions.find(identityOf(req).subject, String(req.params.webhookId));
  if (!found) throw unknownWebhook();
  return found;
}

export function unknownWebhook(): SigcastError {
  return new SigcastError('NOT_FOUND', 'There is no such webhook');
}
