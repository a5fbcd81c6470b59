import { invalidRequest, recoverWebhookSchema } from '@sigcast/contracts';
import { parseBody, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import { type RecoveryStore, recoveryRefused, toRecovery, workOnRecovery } from '../domain/recovery.ts';
import type { SubscriptionStore } from '../domain/subscription.ts';
import { ownWebhook, unknownWebhook } from './own-webhook.ts';

/** How long the answer may wait for the recovery, in milliseconds; the workers do what is left then. */
const patienceMs = 1_500;

const keptMs = 30 * 86_400_000;

/** `POST /v1/webhooks/{id}/recover`: everything missed since an instant is on its way again. */
export function recoverWebhook(deps: {
  readonly subscriptions: SubscriptionStore;
  readonly recoveries: RecoveryStore;
  readonly now: () => number;
}): RequestHandler {
  return async (req, res) => {
    const { since } = parseBody(recoverWebhookSchema, req);
    const now = deps.now();
    if (since.getTime() > now)
      throw invalidRequest([{ field: 'since', message: 'must not be in the future' }]);
    if (since.getTime() < now - keptMs) {
      throw invalidRequest([
        { field: 'since', message: 'must be at most 30 days back; nothing older is kept' },
      ]);
    }
    const { id } = await ownWebhook(deps.subscriptions, req);
    const claim = await deps.recoveries.begin(id, since);
    const work = { store: deps.recoveries, now: deps.now, untilMs: now + patienceMs };
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
