import type { SignalEvent } from '@sigcast/contracts';

/** A signal's events that still have to leave, oldest first, as of its revision `rev`. */
export type PendingSignal = {
  readonly id: string;
  readonly rev: number;
  readonly events: readonly SignalEvent[];
};

/** How far relaying a signal's events came. */
export type RelayedSignal = PendingSignal & {
  /** The events the broker has, from the oldest on. */
  readonly relayed: readonly SignalEvent[];
};

/** Where events wait. */
export type Outbox = {
  /** What waits of these signals. */
  read(signalIds: readonly string[]): Promise<readonly PendingSignal[]>;
  /** Signals with events that wait since before an instant, longest wait first, in batches. */
  pendingSince(before: Date): AsyncIterable<readonly PendingSignal[]>;
  /** Takes relayed events out, by id. */
  clear(signals: readonly RelayedSignal[]): Promise<void>;
};
