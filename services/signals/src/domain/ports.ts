import type {
  Conditions,
  EventPriority,
  Idempotency,
  OutgoingEvent,
  Position,
  SignalFilter,
  SortFigure,
  Total,
} from '@sigcast/contracts';
import type { Signal } from './signal.ts';

/** A signal with the event that tells of it: they are written together or not at all. */
export type NewRecord = {
  readonly signal: Signal;
  readonly event: OutgoingEvent;
  readonly idempotency?: Idempotency | undefined;
  /** When it was imported, if it was. */
  readonly importedAt?: Date | undefined;
};

/** A signal as it is stored, with its events that wait in the outbox. */
export type StoredSignal = {
  readonly signal: Signal;
  readonly waitingEvents: readonly OutgoingEvent[];
  /** When it was imported, if it was. */
  readonly importedAt?: Date | undefined;
};

/** A signal after a change, with the event that tells of the change. */
export type SignalChange = { readonly signal: Signal; readonly event: OutgoingEvent };

/** Which signals a list is of. Conditions are applied to each signal that the other members leave, so these are to be few. */
export type ListFilter = SignalFilter & { readonly conditions?: Conditions | undefined };

/** Where signals are kept. Every method throws SERVICE_UNAVAILABLE while the store can't be reached. */
export type SignalStore = {
  /**
   * Writes new signals, each in one atomic step with its event.
   * @returns the indexes of those that were not written because their idempotency key is taken.
   */
  insert(records: readonly NewRecord[]): Promise<ReadonlySet<number>>;
  /** The signals that hold these idempotency keys, by key. */
  holders(keys: readonly string[]): Promise<ReadonlyMap<string, { id: string; idempotency: Idempotency }>>;
  /** Removes an expired key from its signal, unless the signal holds a newer one by now. */
  releaseKey(id: string, idempotency: Idempotency): Promise<void>;
  find(id: string): Promise<StoredSignal | undefined>;
  /** The signals with these ids, by id. Unknown ids are left out. */
  findAll(ids: readonly string[]): Promise<ReadonlyMap<string, StoredSignal>>;
  /**
   * Writes changes of as many signals, each of revision `signal.rev - 1` and together with its event.
   * @returns how many were written. The others have another revision by now.
   */
  replace(changes: readonly SignalChange[]): Promise<number>;
  page(query: {
    readonly filter: ListFilter;
    /** Sorts by this figure, the highest first, instead of by time. The filter is to leave few signals. */
    readonly sort?: SortFigure | undefined;
    /** Only signals after this position. */
    readonly after?: Position | undefined;
    readonly skip: number;
    readonly limit: number;
  }): Promise<readonly Signal[]>;
  /** `capped` where more than `maxPastTotal` signals of a token or a chain match. */
  count(filter: ListFilter): Promise<Total>;
  /** By ascending id. */
  pageById(query: {
    /** Only signals with a greater id. */
    readonly after?: string | undefined;
    readonly limit: number;
  }): Promise<readonly Signal[]>;
};

/** The events in a signal's outbox, oldest first, as of its revision `rev`. */
export type PendingSignal = {
  readonly id: string;
  readonly rev: number;
  readonly events: readonly OutgoingEvent[];
  /** One priority for all of them: they are published in order. */
  readonly priority: EventPriority;
};

/** Tells the relay that events of these signals wait. Returns at once. */
type NotifyRelay = (signals: readonly PendingSignal[]) => void;

/** The trace context in which an event is made. */
export type EventTrace = {
  /** A `traceparent` header (W3C Trace Context), stored with the event. */
  readonly traceparent: string;
  /** Called once the event is written. An event that is not written leaves nothing in the trace. */
  readonly stored: () => void;
};

/** How fast an import may go on. */
export type ImportPace = {
  /** The most lines of a batch that begins now. */
  readonly maxBatch: number;
  /** Waits after a batch that took so many milliseconds. */
  pauseAfter(tookMs: number): Promise<void>;
};

/** What the use cases that write need. */
export type WriteDeps = {
  readonly store: SignalStore;
  readonly notifyRelay: NotifyRelay;
  /** Resolves when most events and totals of earlier writes are processed. An import waits for this between batches. */
  readonly drained: () => Promise<void>;
  /** How fast an import may go on: slower while somebody else writes single signals or observations. */
  readonly pace: ImportPace;
  readonly now: () => Date;
  readonly newSignalId: (createdAtMs: number) => string;
  readonly newEventId: () => string;
  /** The trace of an event, made by a request for one signal or by an import; undefined where nothing is traced. */
  readonly traceOf: Readonly<Record<'request' | 'import', () => EventTrace | undefined>>;
  /** Called after each write with the event that was stored. */
  readonly noteStored: (event: OutgoingEvent, priority: EventPriority) => void;
  /** Waits a little, longer with every attempt (from 1). */
  readonly pause: (attempt: number) => Promise<void>;
};
