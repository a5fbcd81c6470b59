import type { Decision, MarketObservation } from '@sigcast/outcomes';
import type { PendingObservation } from './following.ts';
import { type Position, realizableOf } from './position/exit-rule.ts';

/** What the rules say of an observation; nothing where they failed. */
export type Applied = {
  readonly state?: unknown;
  readonly decision?: Decision | undefined;
  readonly position?: Position;
};

/** What is sent of an observation; undefined where there is nothing to say. */
export function pendingOf(
  observation: MarketObservation,
  { decision, position }: Applied,
  holders?: number,
): PendingObservation | undefined {
  if (observation.kind !== 'market' && decision === undefined) return undefined;
  const { observedAt } = observation;
  const realizable = position && realizableOf(position);
  return {
    observedAt,
    ...(observation.kind === 'market' && {
      metrics: {
        mcap: observation.mcap,
        liquidity: observation.liquidity,
        volume24h: observation.volume24h,
        ...(holders !== undefined && { holders }),
      },
    }),
    ...(decision && {
      status: decision.status,
      evidence: { rule: decision.rule, observations: decision.observations },
    }),
    ...(realizable && { realizable }),
  };
}
