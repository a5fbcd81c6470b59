import { type DeliveryDetail, SigcastError, testPayload } from '@sigcast/contracts';
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
  const body = JSON.stringify(testPayload(at));
  const record = await deps.deliveries.openTest(subscription, { id: deps.newEventId(), body, at });
  return toDeliveryDetail(record, body);
}
