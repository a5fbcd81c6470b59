import type { OutgoingEvent } from '@sigcast/contracts';
import type { PendingSignal } from '../domain/ports.ts';

/** A signal of which the broker has confirmed the first `relayedCount` events. */
export type RelayedSignal = PendingSignal & { readonly relayedCount: number };

/** Signals whose events this relay alone may publish until the claim ends. */
export type Claim = { readonly token: string; readonly signals: readonly PendingSignal[] };

/** Published events, kept for a day: a queue that is lost could have held them for that long. */
export type Archive = {
  /** Adds events, and leaves those unchanged that are in the archive already. */
  keep(events: readonly OutgoingEvent[]): Promise<void>;
  /** Whether it holds events that were kept before this instant. */
  hasEventsOf(before: Date): Promise<boolean>;
  /** All events of the archive, oldest first, in batches. */
  all(): AsyncIterable<readonly OutgoingEvent[]>;
};

/** Where events wait. */
export type Outbox = {
  /**
   * Claims some of the signals whose events are due at `now`, longest due first. No other relay can claim them before
   * `until`. The claim of a relay that died ends then.
   */
  claim(now: Date, until: Date): Promise<Claim>;
  /** Removes relayed events by id, and the claim with the last of them. */
  removePublished(signals: readonly RelayedSignal[]): Promise<void>;
  /** Ends the claim on signals whose events still wait. They are due from `now` on. */
  release(claim: Claim, now: Date): Promise<void>;
};
