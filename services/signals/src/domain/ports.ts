import type { EventPriority, OutgoingEvent, SignalStatus, SignalType } from '@sigcast/contracts';
import type { Signal } from './signal.ts';

/** Under which key of its producer a signal was created, so that a repetition is recognised. */
export type Idempotency = {
  readonly key: string;
  /** Fingerprint of the request, see `fingerprint`. */
  readonly hash: string;
  readonly at: Date;
};

/** A signal with the event that tells of it: they are written together or not at all. */
export type NewRecord = {
  readonly signal: Signal;
  readonly event: OutgoingEvent;
  readonly idempotency?: Idempotency | undefined;
  /** When it came by an import, if it did. */
  readonly importedAt?: Date | undefined;
};

/** A signal as it is stored, and how many of its events still wait to leave. */
export type StoredSignal = {
  readonly signal: Signal;
  readonly waitingEvents: number;
  /** When it came by an import, if it did. */
  readonly importedAt?: Date | undefined;
};

/** Which signals a list is of. */
export type SignalFilter = {
  readonly types?: readonly SignalType[] | undefined;
  readonly statuses?: readonly SignalStatus[] | undefined;
  /** Exclusive. */
  readonly createdAfter?: Date | undefined;
  /** Inclusive. */
  readonly createdUntil?: Date | undefined;
  /** Exact, in upper or lower case. */
  readonly symbol?: string | undefined;
  /** Exact. */
  readonly contract?: string | undefined;
};

/** A place in the order of lists: newest first, then the highest id first. */
export type Position = { readonly createdAt: Date; readonly id: string };

/** Where signals are kept. Every method throws SERVICE_UNAVAILABLE while the store can't be reached. */
export type SignalStore = {
  /**
   * Writes new signals, each in one atomic step with its event.
   * @returns the indexes of those that were not written because their idempotency key is taken.
   */
  insert(records: readonly NewRecord[]): Promise<ReadonlySet<number>>;
  /** Who holds these idempotency keys, by key. */
  holders(keys: readonly string[]): Promise<ReadonlyMap<string, { id: string; idempotency: Idempotency }>>;
  /** Takes an expired key from its signal, unless it was taken anew since. */
  releaseKey(id: string, idempotency: Idempotency): Promise<void>;
  find(id: string): Promise<StoredSignal | undefined>;
  /**
   * Writes a change of revision `signal.rev - 1` together with its event.
   * @returns false when the stored signal has another revision by now.
   */
  replace(signal: Signal, event: OutgoingEvent): Promise<boolean>;
  page(query: {
    readonly filter: SignalFilter;
    /** Only what comes after it. */
    readonly after?: Position | undefined;
    readonly skip: number;
    readonly limit: number;
  }): Promise<readonly Signal[]>;
  count(filter: SignalFilter): Promise<number>;
  /** By ascending id. */
  pageById(query: {
    /** Only what has a greater id. */
    readonly after?: string | undefined;
    readonly limit: number;
  }): Promise<readonly Signal[]>;
};

/** A signal's events that still have to leave, oldest first, as of its revision `rev`. */
export type PendingSignal = {
  readonly id: string;
  readonly rev: number;
  readonly events: readonly OutgoingEvent[];
  /** Of all of them: they leave together, in order. */
  readonly priority: EventPriority;
};

/** A signal whose events wait, and which they are where the writer knows them all. */
export type WaitingSignal = {
  readonly id: string;
  readonly priority: EventPriority;
  readonly pending?: PendingSignal | undefined;
};

/** Tells the relay that events of these signals wait; never waits for them to leave. */
export type NotifyRelay = (signals: readonly WaitingSignal[]) => void;

/** Where in which trace an event is made, as a `traceparent` header (W3C Trace Context) that travels with it. */
export type EventTrace = {
  readonly traceparent: string;
  /** Call it once the event is written; one that is not leaves nothing in the trace. */
  readonly stored: () => void;
};

/** What the use cases that write need. */
export type WriteDeps = {
  readonly store: SignalStore;
  readonly notifyRelay: NotifyRelay;
  /** Resolves when little is left to do of what follows on earlier writes. Who writes much waits for it now and then. */
  readonly caughtUp: () => Promise<void>;
  /** Whether signals are being written one by one, or have been a moment ago: an import gives way to that. */
  readonly isLive: () => boolean;
  readonly wait: (ms: number) => Promise<void>;
  readonly now: () => Date;
  readonly newSignalId: (createdAtMs: number) => string;
  readonly newEventId: () => string;
  /** The trace of an event that a request makes by itself, or as one of an import's many; undefined in none. */
  readonly traceOf: Readonly<Record<'request' | 'import', () => EventTrace | undefined>>;
  /** Told of each event that was written with its signal. */
  readonly noteStored: (event: OutgoingEvent, priority: EventPriority) => void;
  /** Waits a little, longer with every attempt (from 1). */
  readonly pause: (attempt: number) => Promise<void>;
};
