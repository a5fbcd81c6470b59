import type { Realizable } from '@sigcast/contracts';
import { defaultThresholds, type MarketObservation, rulesV1 } from '@sigcast/outcomes';
import { followPosition, type Position, realizableOf } from '../../src/domain/position/exit-rule.ts';
import type { History } from '../rules/histories.ts';

const applyRules = rulesV1(defaultThresholds);

/** What became of a history at one observation. */
export type Step = {
  readonly observation: MarketObservation;
  readonly position: Position;
  readonly realizable: Realizable | undefined;
};

/** A history that ended where the outcome rules say that its signal is dead or rugged. */
export type Lived = {
  readonly history: readonly MarketObservation[];
  readonly steps: readonly Step[];
  /** When that was observed. */
  readonly overAt: Date | undefined;
};

/** Lives through a history one observation at a time, by the outcome rules and the exit rule, as the poller does. */
export function live({ observations, signal }: History): Lived {
  const steps: Step[] = [];
  let state: unknown;
  let position: Position | undefined;
  let { status } = signal;
  for (const [n, observation] of observations.entries()) {
    const { decision, ...applied } = applyRules({ ...signal, status }, state, observation);
    state = applied.state;
    status = decision?.status ?? status;
    const isOver = status === 'dead' || status === 'rugged';
    position = followPosition(signal, position, { observation, isOver });
    steps.push({ observation, position, realizable: realizableOf(position) });
    if (isOver) return { history: observations.slice(0, n + 1), steps, overAt: observation.observedAt };
  }
  return { history: observations, steps, overAt: undefined };
}

/** The same history, slowed down: `times` as long between two observations. */
export function stretched({ signal, observations, kind }: History, times: number): History {
  const from = signal.createdAt.getTime();
  return {
    signal,
    kind,
    observations: observations.map((each) => ({
      ...each,
      observedAt: new Date(from + times * (each.observedAt.getTime() - from)),
    })),
  };
}
