import {
  bucketStart,
  type HistoryFigures,
  SigcastError,
  type SignalHistory,
  type SignalHistoryQuery,
  type StatusChange,
} from '@sigcast/contracts';
import { historyRange } from './history-range.ts';
import type { HistoryObservation, HistoryStore, SignalSummary } from './ports.ts';

type Bucket = { count: number; mcap: HistoryFigures; liquidity: HistoryFigures };

/**
 * The history of a signal. Reads each observation once, and keeps no more than the buckets in memory.
 * @throws the reason of `gone` once that aborts, because nobody waits for the history any more.
 * @throws {SigcastError} NOT_FOUND for an unknown signal, INVALID_REQUEST for a range that can't be answered.
 */
export async function getHistory(
  store: HistoryStore,
  { id, query, now }: { readonly id: string; readonly query: SignalHistoryQuery; readonly now: Date },
  gone?: AbortSignal,
): Promise<SignalHistory> {
  const signal = await store.find(id);
  if (signal === undefined) throw historyNotFound(id);
  const { from, until, resolution, widthMs } = historyRange(query, { createdAt: signal.createdAt, now });

  const buckets = new Map<number, Bucket>();
  const changes: StatusChange[] = [];
  let high = { at: signal.createdAt, mcap: signal.mcapEntry };
  for await (const observation of store.observations(signal)) {
    gone?.throwIfAborted();
    const { at, mcap, status } = observation;
    if (mcap > high.mcap) high = { at, mcap };
    if (status !== undefined && status !== 'active') changes.push(toChange(observation, status));
    if (at < from || at > until) continue;
    const start = bucketStart(at.getTime(), widthMs);
    buckets.set(start, withObservation(buckets.get(start), observation));
  }

  return {
    id,
    from: from.toISOString(),
    until: until.toISOString(),
    resolution,
    entry: { at: signal.createdAt.toISOString(), mcap: signal.mcapEntry },
    ath: allTimeHigh(signal, high),
    status: signal.status,
    buckets: [...buckets]
      .sort(([one], [other]) => one - other)
      .map(([start, bucket]) => ({ start: new Date(start).toISOString(), ...bucket })),
    changes,
  };
}

/** The error for a signal that the tracker does not know, or did not know as of an instant. */
export function historyNotFound(id: string, asOf?: Date): SigcastError {
  const then = asOf === undefined ? '' : ` as of ${asOf.toISOString()}`;
  return new SigcastError('NOT_FOUND', `There is no history of a signal ${id.slice(0, 40)}${then}`);
}

/** The highest observation; or what the signals service says, where that is a higher one, which was not recorded here. */
function allTimeHigh(
  { createdAt, mcapAth, athHours }: SignalSummary,
  observed: { readonly at: Date; readonly mcap: number },
): SignalHistory['ath'] {
  if (mcapAth <= observed.mcap) return { at: observed.at.toISOString(), mcap: observed.mcap };
  const at = new Date(createdAt.getTime() + Math.round(athHours * 3_600_000));
  return { at: at.toISOString(), mcap: mcapAth };
}

function withObservation(bucket: Bucket | undefined, { mcap, liquidity }: HistoryObservation): Bucket {
  return {
    count: (bucket?.count ?? 0) + 1,
    mcap: withValue(bucket?.mcap, mcap),
    liquidity: withValue(bucket?.liquidity, liquidity),
  };
}

function withValue(figures: HistoryFigures | undefined, value: number): HistoryFigures {
  if (figures === undefined) return { open: value, high: value, low: value, close: value };
  const { open, high, low } = figures;
  return { open, high: Math.max(high, value), low: Math.min(low, value), close: value };
}

function toChange(
  { at, recordedAt, source, evidence }: HistoryObservation,
  status: StatusChange['status'],
): StatusChange {
  // What a producer sends is a producer's decision, even if the event has evidence.
  const decision = source === 'tracker' ? evidence : undefined;
  return {
    at: at.toISOString(),
    status,
    decided_by: decision === undefined ? 'producer' : 'rule',
    rule: decision?.rule ?? null,
    decided_at: recordedAt.toISOString(),
    observations: decision?.observations.map((each) => each.toISOString()) ?? [],
  };
}
