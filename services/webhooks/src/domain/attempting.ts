import type { DeliveryAttempt } from '@sigcast/contracts';
import type { DeliveryRecord, Lease } from './delivery.ts';

/** Since when a subscription's deliveries fail, as far as noted, and whether its account was told. */
export type Failing = { readonly since: Date; readonly told: boolean };

/** A subscription's address as the store has it. */
export type Address = {
  readonly account: string;
  readonly url: string;
  /** Whether it has answered with success before. */
  readonly proven: boolean;
  /** Whether deliveries are made one at a time, in the feed's order. */
  readonly ordered: boolean;
};

/** A subscription as a delivery needs it. */
export type Recipient = Address & {
  readonly id: string;
  /** What an attempt is signed with, the present secret first. */
  readonly secrets: readonly string[];
  /** Its account is suspended: its deliveries wait. */
  readonly held: boolean;
  readonly failing: Failing | null;
};

/** A delivery that this worker has claimed, with what it takes to attempt it. */
export type Claimed = {
  readonly delivery: DeliveryRecord;
  readonly lease: Lease;
  readonly url: string;
  /** Whether the address had answered with success before, when this was claimed. */
  readonly proven: boolean;
  /** What the attempt is signed with, the present secret first. */
  readonly secrets: readonly string[];
  /** As noted when this one was claimed. */
  readonly failing: Failing | null;
  readonly body: string;
  /** Where in which trace its event was fanned out; undefined in none. */
  readonly traceparent?: string | undefined;
  /** Whether its event is one of an import's many. */
  readonly imported?: boolean | undefined;
};

/** What an attempt came to. */
export type AttemptResult = Omit<DeliveryAttempt, 'number' | 'started_at' | 'duration_ms'>;

/** A delivery that nobody attempts. */
export type PendingDelivery = {
  readonly id: string;
  readonly dueAt: Date;
  readonly crashes: number;
  /** Its event's place in the feed, 0 of what has none; absent unless its subscription was ordered when it was made. */
  readonly place?: number | undefined;
};

/** `leased`: somebody attempts it. */
export type Placed = { readonly place: number; readonly leased: boolean };

/** How claims and outcomes are written. */
export type AttemptStore = {
  /** The oldest deliveries of a subscription that nobody attempts; of a disabled one those asked for by hand `since`. */
  oldestPending(
    subscription: string,
    options: { readonly limit: number; readonly since: Date | undefined },
  ): Promise<readonly PendingDelivery[]>;
  /** What is no event of the feed (place 0) of an ordered subscription and nobody attempts, the oldest first. */
  besideOrder(subscription: string, limit: number): Promise<readonly PendingDelivery[]>;
  /** Deliveries of a subscription that have a place in the feed and have not ended, the first places first, attempted or not. */
  inOrder(subscription: string, limit: number): Promise<readonly (PendingDelivery & Placed)[]>;
  /** A place of the feed up to which all deliveries of all events are made. */
  fannedOutUpTo(): Promise<number>;
  /**
   * Claims a delivery that is due; `held` when its subscription is disabled, its account suspended, or `proven` is said of an address that is not;
   * undefined when the delivery is not due, or somebody else has it, or there is nobody to send to.
   */
  claim(id: string, address: { readonly proven: boolean }): Promise<Claimed | 'held' | undefined>;
  /** Writes attempt, status and next time in one step. False when the lease is another's by now: nothing is written. */
  complete(
    claimed: Claimed,
    outcome: { attempt: DeliveryAttempt; status: DeliveryRecord['status']; nextAttemptAt: Date | null },
  ): Promise<boolean>;
};

/** When which subscription has something due, as the workers share it. */
export type LaneStore = {
  /**
   * Hides the due lanes of the accounts that `owns` accepts until an instant, and returns them, the longest due first.
   * Those of suspended accounts are put off instead.
   */
  takeDue(
    owns: (account: string) => boolean,
    hiddenUntil: Date,
    limit: number,
  ): Promise<readonly TakenLane[]>;
  /** Hides lanes in hand for longer, each hidden until `dueAt` so far. A mark that came meanwhile stays. */
  hide(lanes: readonly { readonly id: string; readonly dueAt: Date }[], until: Date): Promise<void>;
  /** Says when a lane is due next, if nobody said anything since it was `expected`. */
  settle(subscription: string, expected: Date, dueAt: Date): Promise<void>;
  /** Marks lanes as due at once. */
  markDue(subscriptions: readonly string[]): Promise<void>;
  /** Marks a lane as due at an instant, unless it is earlier. */
  markDueAt(subscription: string, at: Date): Promise<void>;
  /** Notes that an address has answered with success, if it is the subscription's still. */
  prove(subscription: string, url: string): Promise<void>;
};

/** A lane as the store has it. */
export type TakenLane = Address & { readonly id: string; readonly disabledAt: Date | undefined };
