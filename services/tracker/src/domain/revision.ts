import {
  anyEventTypeSchema,
  receivedRealizableSchema,
  receivedSignalEventSchema,
  type SignalDetail,
  type SignalStatus,
  type SignalType,
} from '@sigcast/contracts';

/** What one event says: the signal as of its revision `rev`, and the observation that the event is about. */
export type Revision = {
  readonly id: string;
  readonly rev: number;
  readonly token: SignalDetail['token'];
  readonly type: SignalType;
  readonly isPremium: boolean;
  readonly createdAt: Date;
  readonly status: SignalStatus;
  /** The market cap when the signal was created, US dollars. */
  readonly mcapEntry: number;
  /** The highest market cap up to this revision, US dollars. */
  readonly mcapAth: number;
  /** Hours from the signal's creation to its highest market cap, two decimals. */
  readonly athHours: number;
  readonly observation: Observation;
};

/** A revision, and when the tracker recorded it first. */
export type KnownRevision = Revision & { readonly knownAt: Date };

/** The figures of a signal at an instant. */
export type Observation = {
  /** When the figures were observed. */
  readonly at: Date;
  /** When the signals service recorded them. */
  readonly recordedAt: Date;
  /** US dollars, as `liquidity` and `volume`. */
  readonly mcap: number;
  readonly liquidity: number;
  readonly volume: number;
  readonly holders: number;
  readonly source: 'tracker' | 'producer';
  /** The status that the signal got by this revision; absent where it kept its status. */
  readonly status?: SignalStatus;
  /** What the decision about the status rests on, as the event says. The history shows it of the tracker's decisions. */
  readonly evidence?: { readonly rule: string; readonly observations: readonly Date[] };
};

const { data: signal } = receivedSignalEventSchema.shape;

/** All fields that are read of a signal, from events and from the signals service. Other fields may change. */
export const trackedSignalSchema = signal
  .pick({ id: true, token: true, type: true, is_premium: true, created_at: true, updated_at: true })
  .extend({
    metrics: signal.shape.metrics,
    performance: signal.shape.performance.pick({ status: true, time_to_ath_hours: true }),
  });
export type TrackedSignal = ReturnType<typeof trackedSignalSchema.parse>;

/** All fields that are read of an event. The type may be one that this version does not know. */
export const revisionEventSchema = receivedSignalEventSchema
  .pick({ version: true, rev: true, occurred_at: true, change: true })
  .extend({
    type: anyEventTypeSchema,
    data: trackedSignalSchema,
    realizable: receivedRealizableSchema.optional(),
  });
export type RevisionEvent = ReturnType<typeof revisionEventSchema.parse>;

/** The revision that an event is about. */
export function revisionOf({ type, rev, occurred_at, change, data }: RevisionEvent): Revision {
  const { status } = data.performance;
  const getsStatus = rev === 1 || type === `signal.${status}`;
  const { evidence } = change;
  return {
    ...stateOf(rev, data),
    observation: {
      at: new Date(change.observed_at),
      recordedAt: new Date(occurred_at),
      ...figuresOf(data),
      source: change.source,
      ...(getsStatus && { status }),
      ...(getsStatus &&
        evidence && {
          evidence: { rule: evidence.rule, observations: evidence.observations.map((at) => new Date(at)) },
        }),
    },
  };
}

/** The revision of a signal's present state, as far as it is known without the event. */
export function presentRevision({
  rev,
  signal: present,
}: {
  readonly rev: number;
  readonly signal: TrackedSignal;
}): Revision {
  const at = new Date(present.updated_at);
  return {
    ...stateOf(rev, present),
    observation: {
      at,
      recordedAt: at,
      ...figuresOf(present),
      source: 'producer',
      ...(rev === 1 && { status: present.performance.status }),
    },
  };
}

function stateOf(
  rev: number,
  { id, token, type, is_premium, created_at, metrics, performance }: TrackedSignal,
) {
  return {
    id,
    rev,
    token,
    type,
    isPremium: is_premium,
    createdAt: new Date(created_at),
    status: performance.status,
    mcapEntry: metrics.mcap_entry,
    mcapAth: metrics.mcap_ath,
    athHours: performance.time_to_ath_hours,
  };
}

function figuresOf({ metrics }: TrackedSignal) {
  const { mcap_current: mcap, liquidity, volume_24h: volume, holders } = metrics;
  return { mcap, liquidity, volume, holders };
}
