import type { OperationOf } from '@sigcast/contracts';
import { idempotencyOf, identityOf, listMeta, type OperationHandlers } from '@sigcast/http';
import type { RecoveryStore } from '../domain/recovery.ts';
import {
  type CreateDeps,
  createSubscription,
  type NameWarning,
  type Subscription,
  toWebhook,
  warningsOf,
} from '../domain/subscription.ts';
import { sendTest, type TestDeps } from '../domain/test-event.ts';
import { rotateSecret, updateSubscription } from '../domain/update-subscription.ts';
import { type HealthLog, toWebhookHealth } from '../domain/webhook-health.ts';
import { ownWebhook, unknownWebhook } from './own.ts';
import { recoverWebhook } from './recover-webhook.ts';

type WebhookDeps = CreateDeps &
  TestDeps & {
    readonly nameWarning: NameWarning;
    readonly health: HealthLog;
    readonly recoveries: RecoveryStore;
  };

/** Answers the operations of an account's subscriptions. */
export function webhookHandlers(deps: WebhookDeps) {
  const { subscriptions } = deps;
  const now = () => new Date(deps.now());
  const secretOf = ({ id, chat, secret }: Subscription) => (chat ? '' : deps.secrets.open(secret, id));
  return {
    createWebhook: async ({ body: read, req }) => {
      const { subject, webhooks = 0, unverified = false } = identityOf(req);
      const body = await read();
      const idempotency = idempotencyOf(req, body, now());
      const given = { account: subject, quota: webhooks, unverified, body, idempotency };
      const subscription = await createSubscription(given, deps);
      const webhook = toWebhook(subscription, now());
      const warnings = await warningsOf(subscription, deps.nameWarning);
      return { data: { ...webhook, ...warnings, secret: secretOf(subscription) } };
    },
    listWebhooks: async ({ query: { page, limit }, req }) => {
      const { total, items } = await subscriptions.list(identityOf(req).subject, {
        skip: (page - 1) * limit,
        limit,
      });
      const at = now();
      const data = items.map((subscription) => toWebhook(subscription, at));
      return { data, meta: listMeta({ total, page, limit }) };
    },
    getWebhook: async ({ path, req }) => ({
      data: toWebhook(await ownWebhook(subscriptions, req, path), now()),
    }),
    // Members that the body leaves out stay as they are.
    updateWebhook: async ({ path: { webhook_id: id }, body: read, req }) => {
      const body = await read();
      const updated = await updateSubscription({ account: identityOf(req).subject, id, body }, deps);
      if (!updated) throw unknownWebhook();
      const warnings = body.url === undefined ? {} : await warningsOf(updated, deps.nameWarning);
      return { data: { ...toWebhook(updated, now()), ...warnings } };
    },
    // Pending deliveries are deleted as well.
    deleteWebhook: async ({ path: { webhook_id: id }, req }) => {
      if (!(await subscriptions.remove(identityOf(req).subject, id))) throw unknownWebhook();
      return { data: { id, deleted: true } };
    },
    // The answer is the only one that shows the new secret.
    rotateWebhookSecret: async ({ path: { webhook_id: id }, req }) => {
      const rotated = await rotateSecret({ account: identityOf(req).subject, id }, deps);
      if (!rotated) throw unknownWebhook();
      return { data: { ...toWebhook(rotated, now()), secret: secretOf(rotated) } };
    },
    testWebhook: async ({ path, req }) => ({
      data: await sendTest(await ownWebhook(subscriptions, req, path), deps),
    }),
    recoverWebhook: recoverWebhook(deps),
    getWebhookHealth: async ({ path, req }) => {
      const { id } = await ownWebhook(subscriptions, req, path);
      return { data: toWebhookHealth(await deps.health.figures(id)) };
    },
  } satisfies Partial<OperationHandlers<OperationOf<'webhooks'>>>;
}
