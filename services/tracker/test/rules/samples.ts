import {
  type Decision,
  defaultThresholds,
  type Followed,
  type MarketObservation,
  rulesV1,
  type Thresholds,
} from '@sigcast/outcomes';

export const createdAt = new Date('2026-03-01T12:00:00.000Z');

/** So many minutes after the signal was created. */
export const at = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000);

export const followed: Followed = {
  mcapEntry: 100_000,
  liquidityEntry: 20_000,
  createdAt,
  status: 'active',
};

/** An observation of the market; without figures, that of a market in which nothing has changed. */
export const market = (
  minutes: number,
  figures: { readonly mcap?: number; readonly liquidity?: number; readonly volume24h?: number } = {},
): MarketObservation => ({
  kind: 'market',
  observedAt: at(minutes),
  mcap: 100_000,
  liquidity: 20_000,
  volume24h: 5_000,
  ...figures,
});

export const absent = (minutes: number): MarketObservation => ({ kind: 'absent', observedAt: at(minutes) });

/** A decision, with the instant of the observation at which it was made. */
export type Labelled = {
  readonly status: Decision['status'];
  readonly decidedAt: Date;
  readonly observations: readonly Date[];
};

/** All decisions about a history. The signal has each decided status from then on. */
export function decisions(
  history: readonly MarketObservation[],
  signal: Followed = followed,
  thresholds: Thresholds = defaultThresholds,
): Labelled[] {
  const made: Labelled[] = [];
  const applyRules = rulesV1(thresholds);
  let state: unknown;
  let { status } = signal;
  for (const observation of history) {
    const applied = applyRules({ ...signal, status }, state, observation);
    state = applied.state;
    if (applied.decision === undefined) continue;
    const { observations } = applied.decision;
    status = applied.decision.status;
    made.push({ status, decidedAt: observation.observedAt, observations });
  }
  return made;
}

/** The decisions in a short form: the status and the minutes of the observations that it rests on. */
export const short = (made: readonly Labelled[]) =>
  made.map(({ status, observations }) => [
    status,
    ...observations.map((each) => (each.getTime() - createdAt.getTime()) / 60_000),
  ]);
