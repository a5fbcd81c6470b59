import type { SignalEvent, SignalHistory } from '@sigcast/contracts';

/** What a history has to be, counted from all events of one signal by other means than the service's. */
export function recount(
  events: readonly SignalEvent[],
  { from, until, widthMs }: { readonly from: Date; readonly until: Date; readonly widthMs: number },
): Pick<SignalHistory, 'entry' | 'ath' | 'status' | 'buckets' | 'changes'> {
  const byRev = new Map(events.map((event) => [event.rev, event]));
  const all = [...byRev.values()].sort((one, other) => one.rev - other.rev);
  const last = all.at(-1);
  if (last === undefined) throw new Error('a signal has at least one event');
  const atOf = (event: SignalEvent) => new Date(event.change?.observed_at ?? event.occurred_at);
  const startOf = (event: SignalEvent) => Math.floor(atOf(event).getTime() / widthMs) * widthMs;
  const inRange = all.filter((event) => atOf(event) >= from && atOf(event) <= until);
  const figures = (values: readonly number[]) => ({
    open: values[0] ?? Number.NaN,
    high: Math.max(...values),
    low: Math.min(...values),
    close: values.at(-1) ?? Number.NaN,
  });
  const { created_at, metrics, performance } = last.data;
  const highest = Math.max(metrics.mcap_entry, ...all.map(({ data }) => data.metrics.mcap_current));
  const highAt = all.find(({ data }) => data.metrics.mcap_current === highest);
  return {
    entry: { at: created_at, mcap: metrics.mcap_entry },
    ath: {
      mcap: highest,
      at: highest === metrics.mcap_entry || !highAt ? created_at : atOf(highAt).toISOString(),
    },
    status: performance.status,
    buckets: [...new Set(inRange.map(startOf))]
      .sort((one, other) => one - other)
      .map((start) => {
        const own = inRange.filter((event) => startOf(event) === start);
        return {
          start: new Date(start).toISOString(),
          count: own.length,
          mcap: figures(own.map(({ data }) => data.metrics.mcap_current)),
          liquidity: figures(own.map(({ data }) => data.metrics.liquidity)),
        };
      }),
    changes: all
      .filter(({ type }) => ['signal.winner', 'signal.dead', 'signal.rugged'].includes(type))
      .map((event) => {
        const { status } = event.data.performance;
        if (status === 'active') throw new Error('an event says that an active signal was decided');
        const decided = { at: atOf(event).toISOString(), status, decided_at: event.occurred_at };
        const { source, evidence } = event.change ?? {};
        return source === 'tracker' && evidence !== undefined
          ? { ...decided, decided_by: 'rule', ...evidence }
          : { ...decided, decided_by: 'producer', rule: null, observations: [] };
      }),
  };
}
