import { deliveryDetailSchema, deliverySchema, webhookHealthSchema } from '../deliveries.ts';
import { listSchema, successSchema } from '../envelope.ts';
import { listDeliveriesQuerySchema, pageQuerySchema } from '../queries.ts';
import {
  createdWebhookSchema,
  createWebhookSchema,
  deletedWebhookSchema,
  recoverWebhookSchema,
  recoverySchema,
  updateWebhookSchema,
  webhookSchema,
} from '../webhooks.ts';
import type { Operation } from './operation.ts';

/** Subscriptions, and the log of what was delivered. */
export const webhookOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/webhooks',
    id: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Subscribe an address to signal events',
    description:
      'The answer holds the signing secret, and is the only one that does. An account can have 20 subscriptions. ' +
      'Until the address has answered 200 once, it gets one request at a time, with pauses that grow to a minute while ' +
      'it fails; events wait meanwhile.',
    body: { name: 'CreateWebhook', schema: createWebhookSchema },
    status: 201,
    success: 'The subscription, with its secret.',
    answer: { name: 'CreatedWebhookAnswer', schema: successSchema(createdWebhookSchema) },
    errors: ['CONFLICT'],
    idempotent: true,
  },
  {
    method: 'get',
    path: '/v1/webhooks',
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List your subscriptions',
    description: 'Without their secrets. An account has 20 at most, so one page of 20 holds all.',
    query: pageQuerySchema,
    status: 200,
    success: 'A page of subscriptions, newest first.',
    answer: { name: 'WebhookList', schema: listSchema(webhookSchema) },
    errors: [],
    paged: true,
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}',
    id: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Fetch one subscription',
    description: 'Its settings, whether it is failing and since when, and how its last recovery went.',
    status: 200,
    success: 'The subscription, without its secret.',
    answer: { name: 'WebhookAnswer', schema: successSchema(webhookSchema) },
    errors: ['NOT_FOUND'],
  },
  {
    method: 'patch',
    path: '/v1/webhooks/{webhook_id}',
    id: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change, pause or resume a subscription',
    description:
      'What is left out stays as it is. `status: disabled` pauses: nothing is sent, what is on its way waits, and ' +
      'events that happen meanwhile are kept. `status: enabled` sends what waits; to get what happened meanwhile, ' +
      'call `recover` then.',
    body: { name: 'UpdateWebhook', schema: updateWebhookSchema },
    status: 200,
    success: 'The subscription as it is now.',
    answer: { name: 'WebhookAnswer', schema: successSchema(webhookSchema) },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'delete',
    path: '/v1/webhooks/{webhook_id}',
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Delete a subscription; nothing more is sent to it',
    description: 'What was on its way is not sent any more, and its log is deleted with it.',
    status: 200,
    success: 'It is gone.',
    answer: { name: 'DeletedWebhookAnswer', schema: successSchema(deletedWebhookSchema) },
    errors: ['NOT_FOUND'],
  },
  {
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/rotate-secret',
    id: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Replace the signing secret',
    description:
      'The new secret signs from now on. The old one signs too for 24 hours: `webhook-signature` then holds one ' +
      'signature for each, separated by spaces, newest first. Each replaced secret keeps its 24 hours, however many ' +
      'follow; with four of them still signing, a further rotation is a conflict.',
    status: 200,
    success: 'The subscription, with its new secret: shown only now.',
    answer: { name: 'CreatedWebhookAnswer', schema: successSchema(createdWebhookSchema) },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/test',
    id: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a test event to this subscription alone',
    description:
      'A `webhook.test` event with a made-up signal, delivered as any other, whatever `events` and `types` say and ' +
      'also while the subscription is disabled. It is attempted once. A further test within 10 seconds is a conflict ' +
      'that says by `Retry-After` when the next one may be.',
    status: 201,
    success: 'The delivery; fetch it to see how it went.',
    answer: { name: 'DeliveryAnswer', schema: successSchema(deliveryDetailSchema) },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/recover',
    id: 'recoverWebhook',
    tag: 'Webhooks',
    summary: 'Deliver everything that was missed since an instant',
    description:
      'Deliveries that failed since then are due again, with all their retries; events since then (and since the ' +
      'subscription was made) that match it as it is now and never had a delivery get one. Nothing is delivered anew ' +
      'that was delivered. A long recovery goes on by itself: see `recovery` of the subscription. A conflict while ' +
      'the subscription is disabled, or another recovery is running.',
    body: { name: 'RecoverWebhook', schema: recoverWebhookSchema },
    status: 200,
    success: 'How far it has come.',
    answer: { name: 'RecoveryAnswer', schema: successSchema(recoverySchema) },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}/health',
    id: 'getWebhookHealth',
    tag: 'Webhooks',
    summary: 'How a subscription is doing',
    description:
      'How many of the deliveries of the last 24 hours and of the last 100 attempts succeeded, the last error, and how ' +
      'many deliveries wait, are retried, and have failed. Counted from the log at the moment.',
    status: 200,
    success: 'The figures.',
    answer: { name: 'WebhookHealthAnswer', schema: successSchema(webhookHealthSchema) },
    errors: ['NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}/deliveries',
    id: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'Deliveries to a subscription, newest first',
    description:
      'Follow `meta.next_cursor` to read everything. Kept for 30 days. `meta.total` counts to 10,000: that means as many or more.',
    query: listDeliveriesQuerySchema,
    status: 200,
    success: 'A page of deliveries.',
    answer: { name: 'DeliveryList', schema: listSchema(deliverySchema) },
    errors: ['NOT_FOUND'],
    paged: true,
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
    id: 'getDelivery',
    tag: 'Webhooks',
    summary: 'One delivery with what was sent and every attempt',
    description:
      'The bytes that were sent; of each attempt its headers, the headers and the beginning of what your endpoint ' +
      'answered, and how long each step took.',
    status: 200,
    success: 'The delivery and its attempts.',
    answer: { name: 'DeliveryAnswer', schema: successSchema(deliveryDetailSchema) },
    errors: ['NOT_FOUND'],
  },
  {
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
    id: 'retryDelivery',
    tag: 'Webhooks',
    summary: 'Attempt a delivery once more',
    description:
      'One further attempt, at once: the same bytes under the same `webhook-id`. Of a delivery that failed or ' +
      'succeeded: how the attempt goes is how the delivery stands then; no retries follow it; also while the ' +
      'subscription is disabled. Of a delivery that waits for its next attempt: the attempt is made now, and as many ' +
      'retries follow it as would have without it. A conflict while an attempt is due or under way, when the delivery ' +
      'waits because the subscription is disabled, and when its event is no longer kept.',
    status: 200,
    success: 'The delivery, pending again.',
    answer: { name: 'DeliveryAnswer', schema: successSchema(deliveryDetailSchema) },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
];
