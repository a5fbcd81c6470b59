import { eventsKeptDays, invalidRequest, type OperationOf } from '@sigcast/contracts';
import type { OperationHandlers } from '@sigcast/http';
import { type RecoveryStore, recoveryRefused, toRecovery, workOnRecovery } from '../domain/recovery.ts';
import { requireVerified, type SubscriptionStore } from '../domain/subscription.ts';
import { ownWebhook, unknownWebhook } from './own.ts';

/** How long a request may work on its recovery, in milliseconds; the workers do the rest. */
const timeBudgetMs = 1_500;

/** How long deliveries and events are kept, in milliseconds. */
const retentionMs = eventsKeptDays * 86_400_000;

/** `POST /v1/webhooks/{id}/recover`: makes due, or opens, every delivery missed since an instant. */
export function recoverWebhook(deps: {
  readonly subscriptions: SubscriptionStore;
  readonly recoveries: RecoveryStore;
  readonly now: () => number;
}): OperationHandlers<OperationOf<'webhooks'>>['recoverWebhook'] {
  return async ({ path, body, req }) => {
    const { since } = await body();
    const now = deps.now();
    if (since.getTime() > now)
      throw invalidRequest([{ field: 'since', message: 'must not be in the future' }]);
    if (since.getTime() < now - retentionMs) {
      throw invalidRequest([
        { field: 'since', message: `must be at most ${eventsKeptDays} days back; nothing older is kept` },
      ]);
    }
    const webhook = await ownWebhook(deps.subscriptions, req, path);
    requireVerified(webhook);
    const { id } = webhook;
    const claim = await deps.recoveries.begin(id, since);
    const work = { store: deps.recoveries, now: deps.now, untilMs: now + timeBudgetMs };
    const reached = claim && (await workOnRecovery(claim, work));
    if (reached) return { data: toRecovery(reached) };
    const current = await ownWebhook(deps.subscriptions, req, path);
    if (!claim) throw recoveryRefused(current.disabled !== null);
    if (!current.recovery) throw unknownWebhook();
    return { data: toRecovery(current.recovery) };
  };
}
