import type { SignalStatus } from '@sigcast/contracts';
import { followLow, followSilence, type LowState, type SilentState } from './dead.ts';
import type { Figures, Followed, MarketObservation, Step } from './observation.ts';
import { followRugged, type RuggedState } from './rugged.ts';
import { readThresholds, type Thresholds } from './thresholds.ts';
import v1 from './v1.json' with { type: 'json' };
import { followWinner, type WinnerState } from './winner.ts';

export { readThresholds, type Thresholds } from './thresholds.ts';

/** The published thresholds of the rules `v1`. */
export const defaultThresholds: Thresholds = readThresholds(v1);

/** What the rules remember of a signal's observations: plain data of bounded size, as it is stored. */
export type RuleState = {
  /** The version and the thresholds of the rules that made this state. */
  readonly rules: string;
  /** When the newest observation was made, Unix milliseconds. */
  readonly newest: number;
  readonly winner?: WinnerState;
  readonly low?: LowState;
  readonly silent?: SilentState;
  readonly rugged?: RuggedState;
};

/** A status that the rules decide. */
export type Decision = {
  readonly status: 'winner' | 'dead' | 'rugged';
  /** `v1-custom` where the thresholds are not the published ones. */
  readonly rule: 'v1' | 'v1-custom';
  /** When the observations were made that it rests on, oldest first, at most ten. */
  readonly observations: readonly Date[];
};

/**
 * Applies the rules to the next observation of a signal. Times are those of observations, never of clocks. An observation
 * that is not newer than the last one, or older than the signal, changes nothing.
 *
 * @param followed the signal as it is now: a final one gets no decision, a winner can only become rugged. As long as the
 * signal does not have the decided status, the next observations may decide it again.
 * @param state what the last call returned for this signal, as a store kept it; undefined before the first observation. A
 * state by other thresholds is ignored.
 */
type ApplyRulesV1 = (
  followed: Followed,
  state: unknown,
  observation: MarketObservation,
) => { readonly state: RuleState; readonly decision?: Decision };

/** The rules `v1` with these thresholds. */
export function rulesV1(thresholds: Thresholds): ApplyRulesV1 {
  const values = valuesOf(thresholds);
  const rules = `v1 ${values}`;
  // So that a decision can be made again.
  const rule = values === valuesOf(defaultThresholds) ? 'v1' : 'v1-custom';
  return (followed, state, observation) => {
    const at = observation.observedAt.getTime();
    const begun: RuleState = { rules, newest: followed.createdAt.getTime() - 1 };
    const known = state as RuleState | undefined;
    const before = known?.rules === rules ? known : begun;
    if (at <= before.newest) return { state: before };
    const { status } = followed;
    if (observation.kind === 'absent') {
      const silent = followSilence(thresholds.dead, before.silent, { at, isSilent: true });
      return {
        state: { ...before, newest: at, ...stateOf('silent', silent) },
        ...decide(rule, status, { dead: silent.basis }),
      };
    }
    const { mcap, liquidity, volume24h } = observation;
    const figures: Figures = { at, mcap, liquidity, volume24h };
    const winner = followWinner({ ...thresholds.winner, ...followed }, before.winner, figures);
    const low = followLow({ ...thresholds.dead, ...followed }, before.low, figures);
    const silent = followSilence(thresholds.dead, before.silent, { at, isSilent: volume24h === 0 });
    const rugged = followRugged({ ...thresholds.rugged, ...followed }, before.rugged, figures);
    const after: RuleState = {
      rules,
      newest: at,
      ...stateOf('winner', winner),
      ...stateOf('low', low),
      ...stateOf('silent', silent),
      ...stateOf('rugged', rugged),
    };
    if (observation.onlyBreaks) return { state: broken(before, after) };
    return {
      state: after,
      ...decide(rule, status, {
        rugged: rugged.basis,
        dead: low.basis ?? silent.basis,
        winner: winner.basis,
      }),
    };
  };
}

/** What was known before, without the sequences that are not in `after`. */
function broken({ rules, winner, low, silent, rugged }: RuleState, after: RuleState): RuleState {
  return {
    rules,
    newest: after.newest,
    ...(winner && after.winner && { winner }),
    ...(low && after.low && { low }),
    ...(silent && after.silent && { silent }),
    ...(rugged && { rugged: after.rugged?.collapse ? rugged : { highs: rugged.highs } }),
  };
}

function stateOf<Name extends string, State>(
  name: Name,
  { state }: Step<State>,
): { readonly [Key in Name]?: State } {
  return (state === undefined ? {} : { [name]: state }) as { readonly [Key in Name]?: State };
}

/** Where several rules hold at once, the worst status is decided. */
function decide(
  rule: Decision['rule'],
  status: SignalStatus,
  basisOf: { readonly [Status in Decision['status']]?: readonly number[] | undefined },
): { readonly decision?: Decision } {
  const possible = {
    active: ['rugged', 'dead', 'winner'],
    winner: ['rugged'],
    dead: [],
    rugged: [],
  } as const;
  for (const decided of possible[status]) {
    const basis = basisOf[decided];
    if (basis !== undefined) {
      const observations = basis.map((ms) => new Date(ms));
      return { decision: { status: decided, rule, observations } };
    }
  }
  return {};
}

/** The thresholds' values as text, in the order of the published ones. */
function valuesOf(thresholds: Thresholds): string {
  return Object.entries(defaultThresholds)
    .flatMap(([rule, published]) => {
      const values = thresholds[rule as keyof Thresholds] as Readonly<Record<string, number>>;
      return Object.keys(published).map((name) => values[name]);
    })
    .join(' ');
}
