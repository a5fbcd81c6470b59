import { eventsKeptDays, invalidRequest, recoverWebhookSchema } from '@sigcast/contracts';
import { parseBody, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type RecoveryStore, recoveryRefused, toRecovery, workOnRecovery } from '../domain/recovery.ts';
import { requireVerified, type SubscriptionStore } from '../domain/subscription.ts';
import { ownWebhook, unknownWebhook } from './own-webhook.ts';

/** How long a request may work on its recovery, in milliseconds; the workers do the rest. */
const timeBudgetMs = 1_500;

/** How long deliveries and events are kept, in milliseconds. */
const retentionMs = eventsKeptDays * 86_400_000;

/** `POST /v1/webhooks/{id}/recover`: makes due, or opens, every delivery missed since an instant. */
export function recoverWebhook(deps: {
  readonly subscriptions: SubscriptionStore;
  readonly recoveries: RecoveryStore;
  readonly now: () => number;
}): RequestHandler {
  return async (req, res) => {
    const { since } = await parseBody(recoverWebhookSchema, req);
    const now = deps.now();
    if (since.getTime() > now)
      throw invalidRequest([{ field: 'since', message: 'must not be in the future' }]);
    if (since.getTime() < now - retentionMs) {
      throw invalidRequest([
        { field: 'since', message: `must be at most ${eventsKeptDays} days back; nothing older is kept` },
      ]);
    }
    const webhook = await ownWebhook(deps.subscriptions, req);
    requireVerified(webhook);
    const { id } = webhook;
    const claim = await deps.recoveries.begin(id, since);
    const work = { store: deps.recoveries, now: deps.now, untilMs: now + timeBudgetMs };
    const reached = claim && (await workOnRecovery(claim, work));
    if (reached) {
      sendData(res, toRecovery(reached));
      return;
    }
    const current = await ownWebhook(deps.subscriptions, req);
    if (!claim) throw recoveryRefused(current.disabled !== null);
    if (!current.recovery) throw unknownWebhook();
    sendData(res, toRecovery(current.recovery));
  };
}
