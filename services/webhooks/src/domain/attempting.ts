import type { DeliveryAttempt } from '@sigcast/contracts';
import type { DeliveryRecord, Lease } from './delivery.ts';

/** A subscription as a delivery needs it. */
export type Recipient = {
  readonly id: string;
  readonly account: string;
  readonly url: string;
  /** What an attempt is signed with, the present secret first. */
  readonly secrets: readonly string[];
  /** Since when its deliveries fail, as far as noted. */
  readonly failingSince: Date | null;
};

/** A delivery that this worker has claimed, with what it takes to attempt it. */
export type Claimed = {
  readonly delivery: DeliveryRecord;
  readonly lease: Lease;
  readonly url: string;
  /** What the attempt is signed with, the present secret first. */
  readonly secrets: readonly string[];
  /** Since when the subscription's deliveries fail, as noted when this one was claimed. */
  readonly failingSince: Date | null;
  readonly body: string;
};

/** What an attempt came to. */
export type AttemptResult = Omit<DeliveryAttempt, 'number' | 'started_at' | 'duration_ms'>;

/** How a claim or outcome is written. */
export type AttemptStore = {
  /** Claims a delivery that is due; undefined when it is not, or somebody else has it, or there is nobody to send to. */
  claim(id: string): Promise<Claimed | undefined>;
  /** Claims the oldest due delivery of a subscription. */
  claimNext(subscription: string): Promise<Claimed | undefined>;
  /** Writes attempt, status and next time in one step. False when the lease is another's by now: nothing is written. */
  complete(
    claimed: Claimed,
    outcome: { attempt: DeliveryAttempt; status: DeliveryRecord['status']; nextAttemptAt: Date | null },
  ): Promise<boolean>;
  /** Gives a claimed delivery back, due at another time. */
  release(claimed: Claimed, nextAttemptAt: Date): Promise<void>;
  /** Puts a delivery aside that kills what sends it. */
  quarantine(claimed: Claimed, attempt: DeliveryAttempt): Promise<void>;
  /** Deliveries that are due and have, as it seems, no message on its way. They are not returned again for a while. */
  takeStranded(limit: number): Promise<readonly string[]>;
};
