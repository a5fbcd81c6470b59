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
  /** Its account is suspended: its deliveries wait. */
  readonly held: boolean;
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

/** A delivery that nobody attempts. */
export type PendingDelivery = { readonly id: string; readonly dueAt: Date; readonly crashes: number };

/** How claims and outcomes are written. */
export type AttemptStore = {
  /** The oldest deliveries of a subscription that nobody attempts; of a disabled one those asked for by hand `since`. */
  oldestPending(
    subscription: string,
    options: { readonly limit: number; readonly since: Date | undefined },
  ): Promise<readonly PendingDelivery[]>;
  /** Claims a delivery that is due; `held` when its subscription is disabled or its account suspended, undefined when it is not, or somebody else has it, or there is nobody to send to. */
  claim(id: string): Promise<Claimed | 'held' | undefined>;
  /** Writes attempt, status and next time in one step. False when the lease is another's by now: nothing is written. */
  complete(
    claimed: Claimed,
    outcome: { attempt: DeliveryAttempt; status: DeliveryRecord['status']; nextAttemptAt: Date | null },
  ): Promise<boolean>;
};

/** When which subscription has something due, as the workers share it. */
export type LaneStore = {
  /**
   * Hides those of the due lanes that `owns` accepts until an instant, and returns them, the longest due first. Those of
   * suspended accounts are put off instead.
   */
  takeDue(
    owns: (subscription: string) => boolean,
    hiddenUntil: Date,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly disabledAt: Date | undefined }[]>;
  /** Hides lanes in hand for longer, each hidden until `dueAt` so far. A mark that came meanwhile stays. */
  hide(lanes: readonly { readonly id: string; readonly dueAt: Date }[], until: Date): Promise<void>;
  /** Says when a lane is due next, if nobody said anything since it was `expected`. */
  settle(subscription: string, expected: Date, dueAt: Date): Promise<void>;
  /** Marks lanes as due at once. */
  markDue(subscriptions: readonly string[]): Promise<void>;
  /** Marks a lane as due at an instant, unless it is earlier. */
  markDueAt(subscription: string, at: Date): Promise<void>;
};
