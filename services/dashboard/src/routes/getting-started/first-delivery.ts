import type { Delivery, Webhook } from '@sigcast/contracts';

/** What a search for the first delivery found. */
export type FirstDelivery = {
  /** Whether a webhook ever took a delivery. */
  readonly delivered: boolean;
  /** Until then: the newest delivery that was sent to the newest webhook and not taken. */
  readonly refused: Delivery | undefined;
  /** How many requests the search cost. */
  readonly requests: number;
};

/** A page of a webhook's deliveries, newest first, and how many there are in all. */
type LogPage = { readonly data: readonly Delivery[]; readonly meta: { readonly total: number } };

/** Asks for deliveries of a webhook, such as `status=failed&limit=1`. */
export type AskLog = (webhook: Webhook, query: string) => Promise<LogPage>;

/** Looks for the first delivery of any of these webhooks, the newest first. */
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
    const { data, meta } = await ask(webhook, 'limit=20');
    const isLong = meta.total > data.length;
    const delivered =
      data.some(({ status }) => status === 'delivered') ||
      (isLong && (await ask(webhook, 'limit=1&status=delivered')).data.length > 0);
    if (delivered) return { delivered: true, refused: undefined, requests };
    if (webhook === webhooks[0]) {
      refused = data.find(({ attempt_count: count }) => count > 0);
      // The oldest delivery is attempted first: newer ones may fill the page and wait.
      if (isLong) refused ??= (await ask(webhook, 'limit=1&status=retrying')).data[0];
      if (isLong) refused ??= (await ask(webhook, 'limit=1&status=failed')).data[0];
    }
  }
  return { delivered: false, refused, requests };
}
