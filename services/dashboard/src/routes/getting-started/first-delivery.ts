import type { Delivery, ListDeliveriesQuery, Webhook } from '@sigcast/client';

/** The result of a search for the first delivery. */
type FirstDelivery = {
  /** Whether a delivery to one of the webhooks ever succeeded. */
  readonly delivered: boolean;
  /** If none succeeded: the newest delivery to the newest webhook that was attempted. */
  readonly refused: Delivery | undefined;
  /** How many requests the search took. */
  readonly requests: number;
};

/** A page of a webhook's deliveries, newest first, and how many there are in all. */
type LogPage = { readonly data: readonly Delivery[]; readonly meta: { readonly total: number } };

/** Asks for deliveries of a webhook. */
type AskLog = (webhook: Webhook, query: ListDeliveriesQuery) => Promise<LogPage>;

/** Looks for the first delivery of these webhooks, beginning with the newest webhook. */
export async function findFirstDelivery(
  webhooks: readonly Webhook[],
  askLog: AskLog,
): Promise<FirstDelivery> {
  let requests = 0;
  const ask: AskLog = (webhook, query) => {
    requests += 1;
    return askLog(webhook, query);
  };
  let refused: Delivery | undefined;
  for (const webhook of webhooks) {
    const { data, meta } = await ask(webhook, { limit: 20 });
    const isLong = meta.total > data.length;
    const delivered =
      data.some(({ status }) => status === 'delivered') ||
      (isLong && (await ask(webhook, { limit: 1, status: 'delivered' })).data.length > 0);
    if (delivered) return { delivered: true, refused: undefined, requests };
    if (webhook === webhooks[0]) {
      refused = data.find(({ attempt_count: count }) => count > 0);
      // The oldest delivery is attempted first, so the page may be full of newer ones that still wait.
      if (isLong) refused ??= (await ask(webhook, { limit: 1, status: 'retrying' })).data[0];
      if (isLong) refused ??= (await ask(webhook, { limit: 1, status: 'failed' })).data[0];
    }
  }
  return { delivered: false, refused, requests };
}
