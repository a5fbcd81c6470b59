import { listSchema, successSchema } from '../envelope.ts';
import { listDeliveriesQuerySchema, pageQuerySchema } from '../queries.ts';
import {
  deliveryDetailSchema,
  deliveryIdSchema,
  deliverySchema,
  recentAttempts,
  webhookHealthSchema,
} from '../resources/deliveries.ts';
import {
  createdWebhookSchema,
  createWebhookSchema,
  deletedWebhookSchema,
  recoverWebhookSchema,
  recoverySchema,
  updateWebhookSchema,
  webhookIdSchema,
  webhookSchema,
} from '../resources/webhooks.ts';
import type { ApiOperation, PathParameters } from './operation.ts';

/** Parameters in paths of webhooks. */
export const webhookParameters = {
  webhook_id: { schema: webhookIdSchema, description: 'A webhook’s identifier.' },
  delivery_id: { schema: deliveryIdSchema.min(1), description: 'A delivery’s identifier.' },
} satisfies PathParameters;

/** Subscriptions, and the log of what was delivered. */
export const webhookOperations = [
  {
    method: 'post',
    path: '/v1/webhooks',
    id: 'createWebhook',
    service: 'webhooks',
    scope: 'webhooks:write',
    audit: 'webhook.created',
    call: 'webhooks.create',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'Sends events to an address. The answer contains the signing secret, which is shown only now. An account can have 20 webhooks, ' +
      'or as many as its plan allows. ' +
      'Until the address has answered 200 once, it gets one request at a time. While it fails, pauses grow to a ' +
      'minute, and events wait.',
    body: createWebhookSchema,
    status: 201,
    success: 'The webhook, with its secret.',
    answer: successSchema(createdWebhookSchema),
    sample: { data: { proven: false } },
    errors: ['CONFLICT'],
    idempotent: true,
  },
  {
    method: 'get',
    path: '/v1/webhooks',
    id: 'listWebhooks',
    service: 'webhooks',
    scope: 'webhooks:read',
    call: 'webhooks.list',
    tool: true,
    tag: 'Webhooks',
    summary: 'List webhooks',
    description:
      'All webhooks of the account, without their secrets. An account has 20 at most, so one page of 20 holds all.',
    query: pageQuerySchema,
    success: 'A page of webhooks, newest first.',
    answer: listSchema(webhookSchema),
    paged: true,
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}',
    id: 'getWebhook',
    service: 'webhooks',
    scope: 'webhooks:read',
    call: 'webhooks.get',
    tag: 'Webhooks',
    summary: 'Get a webhook',
    description:
      'The settings of the webhook, since when it fails if it does, and how its last recovery went.',
    success: 'The webhook, without its secret.',
    answer: successSchema(webhookSchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'patch',
    path: '/v1/webhooks/{webhook_id}',
    id: 'updateWebhook',
    service: 'webhooks',
    scope: 'webhooks:write',
    audit: 'webhook.changed',
    call: 'webhooks.update',
    tag: 'Webhooks',
    summary: 'Change, pause or resume a webhook',
    description:
      'Members that are left out stay as they are. `status: disabled` pauses: nothing is sent, pending deliveries wait, ' +
      'and events that happen meanwhile are kept. `status: enabled` sends the pending deliveries. To get the events ' +
      'that happened meanwhile, call `recover` then.',
    body: updateWebhookSchema,
    success: 'The webhook as it is now.',
    answer: successSchema(webhookSchema),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'delete',
    path: '/v1/webhooks/{webhook_id}',
    id: 'deleteWebhook',
    service: 'webhooks',
    scope: 'webhooks:write',
    audit: 'webhook.deleted',
    call: 'webhooks.delete',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description:
      'Nothing more is sent to it, pending deliveries included. The log of deliveries is deleted too.',
    success: 'The webhook is deleted.',
    answer: successSchema(deletedWebhookSchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/rotate-secret',
    id: 'rotateWebhookSecret',
    service: 'webhooks',
    scope: 'webhooks:write',
    audit: 'webhook.secret_rotated',
    call: 'webhooks.rotateSecret',
    tag: 'Webhooks',
    summary: 'Rotate a webhook’s secret',
    description:
      'Makes a new signing secret. The new secret signs from now on. The old secret signs too for 24 hours: `webhook-signature` then holds a ' +
      'signature by each, separated by spaces, newest first. While four replaced secrets still sign, a further ' +
      'rotation is a conflict.',
    success: 'The webhook, with its new secret. The secret is shown only now.',
    answer: successSchema(createdWebhookSchema),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/test',
    id: 'testWebhook',
    service: 'webhooks',
    scope: 'webhooks:write',
    call: 'webhooks.test',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description:
      'Sends a `webhook.test` event with a made-up signal to this webhook alone, whatever `events` and `types` say, also while the webhook is ' +
      'disabled. It is attempted once. A second test within 10 seconds is a conflict; `Retry-After` says when the next ' +
      'test is possible.',
    status: 201,
    success: 'The delivery. Fetch it to see the result.',
    answer: successSchema(deliveryDetailSchema),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/recover',
    id: 'recoverWebhook',
    service: 'webhooks',
    scope: 'webhooks:write',
    call: 'webhooks.recover',
    tag: 'Webhooks',
    summary: 'Recover missed events',
    description:
      'Delivers everything that was missed since an instant. Deliveries that failed since then are sent again, with all their retries. Events since then (and since the ' +
      'webhook was made) that match the webhook as it is now and never had a delivery get one. What was ' +
      'delivered is not sent again. A long recovery goes on by itself: see `recovery` of the webhook. The call is ' +
      'a conflict while the webhook is disabled or another recovery is running.',
    body: recoverWebhookSchema,
    success: 'The progress of the recovery.',
    answer: successSchema(recoverySchema),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}/health',
    id: 'getWebhookHealth',
    service: 'webhooks',
    scope: 'webhooks:read',
    call: 'webhooks.health',
    tool: true,
    tag: 'Webhooks',
    summary: 'Get a webhook’s health',
    description:
      `How many of the deliveries of the last 24 hours and of the last ${recentAttempts} attempts succeeded, the last error, and how ` +
      'many deliveries wait, are retried, and have failed. Counted from the log at the moment.',
    success: 'The figures.',
    answer: successSchema(webhookHealthSchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}/deliveries',
    id: 'listDeliveries',
    service: 'webhooks',
    scope: 'webhooks:read',
    call: 'webhooks.deliveries',
    tool: true,
    tag: 'Webhooks',
    summary: 'List deliveries',
    description:
      'Deliveries to a webhook, newest first. Follow `meta.next_cursor` to read everything. Deliveries are kept for 30 days. A `meta.total` of 10,000 stands for 10,000 or more.',
    query: listDeliveriesQuerySchema,
    success: 'A page of deliveries.',
    answer: listSchema(deliverySchema),
    errors: ['NOT_FOUND'],
    paged: true,
  },
  {
    method: 'get',
    path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}',
    id: 'getDelivery',
    service: 'webhooks',
    scope: 'webhooks:read',
    call: 'webhooks.delivery',
    tool: true,
    tag: 'Webhooks',
    summary: 'Get a delivery',
    description:
      'What was sent, byte for byte, and every attempt: of each attempt its headers, the headers and the beginning of what your endpoint ' +
      'answered, and how long each step took.',
    success: 'The delivery and its attempts.',
    answer: successSchema(deliveryDetailSchema),
    errors: ['NOT_FOUND'],
  },
  {
    method: 'post',
    path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry',
    id: 'retryDelivery',
    service: 'webhooks',
    scope: 'webhooks:write',
    call: 'webhooks.retryDelivery',
    tag: 'Webhooks',
    summary: 'Retry a delivery',
    description:
      'One more attempt, at once: the same bytes under the same `webhook-id`. For a delivery that failed or was ' +
      'delivered, no retries follow; what was delivered stays so, whatever the outcome. It is made also while the ' +
      'webhook is disabled. For a delivery that waits for its next attempt, that attempt is made now, and as many retries follow ' +
      'as would have without it. The call is a conflict while an attempt is due or under way, while the delivery waits ' +
      'because the webhook is disabled, and when the event is no longer kept.',
    success: 'The delivery, pending again.',
    answer: successSchema(deliveryDetailSchema),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
] as const satisfies readonly ApiOperation[];
