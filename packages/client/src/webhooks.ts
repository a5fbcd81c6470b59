import type { Answer, ListMeta, Page, PageQuery } from './answer.ts';
import { type QueryValue, queryString } from './query.ts';
import { type Call, type CallOptions, segment, type Transport } from './transport.ts';
import type {
  CreateWebhook,
  Delivery,
  DeliveryDetail,
  DeliveryStatus,
  Recovery,
  UpdateWebhook,
  Webhook,
  WebhookHealth,
  WebhookPayload,
  WebhookWithSecret,
} from './webhook.ts';

/** Filters for deliveries. */
export type DeliveryFilter = {
  /** `retrying`: those of `pending` that were attempted before. */
  readonly status?: DeliveryStatus | 'retrying';
  readonly event?: WebhookPayload['event'];
  /** The status of your endpoint's last answer; `none`: it did not answer. */
  readonly http_status?: number | 'none';
  /** Only deliveries about this signal. */
  readonly signal_id?: string;
  /** Only deliveries made after this instant: a date, or ISO 8601 with a time zone. */
  readonly since?: Date | string;
};

export type ListDeliveriesQuery = DeliveryFilter &
  PageQuery & {
    /** `meta.next_cursor` of the page before; in place of `page`. */
    readonly cursor?: string;
  };

/** `sigcast.webhooks`: subscriptions, and the log of what was delivered. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A page of your subscriptions, newest first. */
  list(query: PageQuery = {}, options?: CallOptions): Promise<Page<Webhook>> {
    return this.#list<Webhook>('/v1/webhooks', query, options);
  }

  /**
   * Creates a subscription. Keep the secret: no other answer contains it.
   * @param options `idempotencyKey`: calls with the same key create one subscription, also across a restart of your
   *   program. Default: a new key for each call.
   */
  create(
    webhook: CreateWebhook,
    options: CallOptions & { readonly idempotencyKey?: string } = {},
  ): Promise<Answer<WebhookWithSecret>> {
    const { idempotencyKey = crypto.randomUUID(), ...rest } = options;
    return this.#send({ method: 'POST', path: '/v1/webhooks', body: webhook, idempotencyKey }, rest);
  }

  /** One subscription. */
  get(id: string, options?: CallOptions): Promise<Answer<Webhook>> {
    return this.#send({ method: 'GET', path: pathOf(id) }, options);
  }

  /** Changes, pauses or resumes a subscription. */
  update(id: string, changes: UpdateWebhook, options?: CallOptions): Promise<Answer<Webhook>> {
    return this.#send({ method: 'PATCH', path: pathOf(id), body: changes }, options);
  }

  /** Deletes a subscription with its log. If an answer is lost, the retry may get NOT_FOUND. */
  delete(
    id: string,
    options?: CallOptions,
  ): Promise<Answer<{ readonly id: string; readonly deleted: true }>> {
    return this.#send({ method: 'DELETE', path: pathOf(id) }, options);
  }

  /** Replaces the signing secret. Both secrets sign for 24 hours; verify with both meanwhile. */
  rotateSecret(id: string, options?: CallOptions): Promise<Answer<WebhookWithSecret>> {
    return this.#send({ method: 'POST', path: `${pathOf(id)}/rotate-secret` }, options);
  }

  /** Sends a `webhook.test` event to this subscription alone; fetch the delivery to see how it went. */
  test(id: string, options?: CallOptions): Promise<Answer<DeliveryDetail>> {
    return this.#send({ method: 'POST', path: `${pathOf(id)}/test` }, options);
  }

  /** Delivers all events missed since an instant. A long recovery goes on by itself: see `recovery` of the subscription. */
  recover(
    id: string,
    { since }: { readonly since: Date | string },
    options?: CallOptions,
  ): Promise<Answer<Recovery>> {
    return this.#send({ method: 'POST', path: `${pathOf(id)}/recover`, body: { since } }, options);
  }

  /** The health of a subscription: success rates, the last error, and waiting deliveries. */
  health(id: string, options?: CallOptions): Promise<Answer<WebhookHealth>> {
    return this.#send({ method: 'GET', path: `${pathOf(id)}/health` }, options);
  }

  /** A page of the deliveries to a subscription, newest first. */
  deliveries(id: string, query: ListDeliveriesQuery = {}, options?: CallOptions): Promise<Page<Delivery>> {
    return this.#list<Delivery>(`${pathOf(id)}/deliveries`, query, options);
  }

  /** One delivery with every attempt. */
  delivery(id: string, deliveryId: string, options?: CallOptions): Promise<Answer<DeliveryDetail>> {
    return this.#send({ method: 'GET', path: deliveryPathOf(id, deliveryId) }, options);
  }

  /** Attempts a delivery once more: the same bytes under the same `webhook-id`. */
  retryDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<Answer<DeliveryDetail>> {
    return this.#send({ method: 'POST', path: `${deliveryPathOf(id, deliveryId)}/retry` }, options);
  }

  #send<T>(call: Call, options?: CallOptions): Promise<Answer<T>> {
    return this.#transport.send<T>(call, options);
  }

  #list<T>(
    path: string,
    query: Readonly<Record<string, QueryValue>>,
    options?: CallOptions,
  ): Promise<Page<T>> {
    const call = { method: 'GET', path: `${path}${queryString(query)}` } as const;
    return this.#transport.send<readonly T[], ListMeta>(call, options);
  }
}

function pathOf(id: string): string {
  return `/v1/webhooks/${segment(id)}`;
}

function deliveryPathOf(id: string, deliveryId: string): string {
  return `${pathOf(id)}/deliveries/${segment(deliveryId)}`;
}
