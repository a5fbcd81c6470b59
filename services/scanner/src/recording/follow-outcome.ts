import type { NewSignalRequest, SignalStatus } from '@sigcast/contracts';
import { defaultThresholds, type MarketObservation, rulesV1 } from '@sigcast/outcomes';

/** What became of a signal, by the rules of the tracker. */
export type Outcome = {
  readonly status: SignalStatus;
  /** When the rules decided; null where they did not. */
  readonly decided_at: string | null;
  /** The observations after the signal. */
  readonly observations: number;
  /** Percent of the market cap of the entry, as of the last observation; null without one. */
  readonly roi: number | null;
  readonly ath_roi: number | null;
};

const applyRules = rulesV1(defaultThresholds);

/** Follows a signal as the tracker does, by its published rules `v1`. */
export function followOutcome({ metrics }: NewSignalRequest, madeAt: Date) {
  let state: unknown;
  let outcome: Outcome = { status: 'active', decided_at: null, observations: 0, roi: null, ath_roi: null };
  const percent = (mcap: number) => Math.round((mcap / metrics.mcap_entry - 1) * 10_000) / 100;
  return {
    observe: (observation: MarketObservation): void => {
      const { status } = outcome;
      const followed = {
        createdAt: madeAt,
        status,
        mcapEntry: metrics.mcap_entry,
        liquidityEntry: metrics.liquidity,
      };
      const applied = applyRules(followed, state, observation);
      state = applied.state;
      const { decision } = applied;
      const roi = observation.kind === 'market' ? percent(observation.mcap) : outcome.roi;
      outcome = {
        status: decision?.status ?? status,
        decided_at: decision ? observation.observedAt.toISOString() : outcome.decided_at,
        observations: outcome.observations + 1,
        roi,
        ath_roi: roi === null ? null : Math.max(0, roi, outcome.ath_roi ?? 0),
      };
    },
    get outcome(): Outcome {
      return outcome;
    },
  };
}
