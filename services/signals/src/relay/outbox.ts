import type { OutgoingEvent } from '@sigcast/contracts';
import type { PendingSignal } from '../domain/ports.ts';

/** How far relaying a signal's events came: the broker has the first `relayedCount` of them. */
export type RelayedSignal = PendingSignal & { readonly relayedCount: number };

/** Signals that this relay alone is to send the events of, for a while. */
export type Claim = { readonly token: string; readonly signals: readonly PendingSignal[] };

/** Events on their way or gone, for as long as a queue that is lost could still have held them. */
export type Archive = {
  /** Keeps events; those it has already stay as they are. */
  keep(events: readonly OutgoingEvent[]): Promise<void>;
  /** All events kept, oldest first, in batches. */
  all(): AsyncIterable<readonly OutgoingEvent[]>;
};

/** Where events wait. */
export type Outbox = {
  /** What waits of these signals. */
  read(signalIds: readonly string[]): Promise<readonly PendingSignal[]>;
  /**
   * Claims some of the signals whose events are due at `now`, longest due first. Until `until` no other relay claims
   * them; a claim that its relay did not live to settle is void from then on.
   */
  claim(now: Date, until: Date): Promise<Claim>;
  /** Takes relayed events out, by id, and with the last of them the claim. */
  removePublished(signals: readonly RelayedSignal[]): Promise<void>;
  /** Gives back what a claim still holds, due from `now` on. */
  release(claim: Claim, now: Date): Promise<void>;
};
