import {
  type DeliveryDetail,
  SigcastError,
  type SignalDetail,
  type WebhookPayload,
  webhookTestEvent,
} from '@sigcast/contracts';
import { type DeliveryLog, toDeliveryDetail } from './delivery.ts';
import { requireVerified, type Subscription, type SubscriptionStore } from './subscription.ts';

/** The shortest time between two tests of a subscription, in milliseconds, so that tests cannot be used to flood a host. */
const testPauseMs = 10_000;

export type TestDeps = {
  readonly subscriptions: SubscriptionStore;
  readonly deliveries: DeliveryLog;
  readonly newEventId: () => string;
  readonly now: () => number;
};

/**
 * Opens a delivery of a test event to one subscription alone, for a single attempt.
 * @throws {SigcastError} CONFLICT when the last test was less than 10 s ago, or the account's address is unverified.
 */
export async function sendTest(subscription: Subscription, deps: TestDeps): Promise<DeliveryDetail> {
  requireVerified(subscription);
  const at = new Date(deps.now());
  const noted = await deps.subscriptions.noteTest(subscription.id, at, new Date(at.getTime() - testPauseMs));
  if (noted !== 'noted') {
    const nextMs = noted.getTime() + testPauseMs;
    // The earlier test may have been made by a process whose clock is ahead, so the pause is bounded.
    const leftMs = nextMs - deps.now();
    throw new SigcastError(
      'CONFLICT',
      `Only one test every ${testPauseMs / 1_000} s; the next test is possible at ${new Date(nextMs).toISOString()}`,
      { retryAfterS: Math.min(Math.max(1, Math.ceil(leftMs / 1_000)), testPauseMs / 1_000) },
    );
  }
  const body = testBody(at);
  const record = await deps.deliveries.openTest(subscription, { id: deps.newEventId(), body, at });
  return toDeliveryDetail(record, body);
}

/** The body of a test event, in the shape of all events, so that receivers read it as they read others. */
function testBody(at: Date): string {
  const data: Omit<SignalDetail, 'updated_at'> = {
    id: 'sig_00000000000000000000000000',
    token: {
      symbol: 'TEST',
      name: 'Test signal',
      contract: '0x0000000000000000000000000000000000000000',
      age_hours: 1,
      dex_paid: false,
      socials: { twitter: '', telegram: '', website: '' },
    },
    metrics: {
      mcap_entry: 100_000,
      mcap_current: 100_000,
      mcap_ath: 100_000,
      volume_24h: 10_000,
      holders: 100,
      liquidity: 20_000,
    },
    performance: { roi: 0, ath_roi: 0, status: 'active', time_to_ath_hours: 0 },
    type: 'new',
    is_premium: false,
    created_at: at.toISOString(),
  };
  const payload: WebhookPayload = { event: webhookTestEvent, timestamp: at.toISOString(), data };
  return JSON.stringify(payload);
}
