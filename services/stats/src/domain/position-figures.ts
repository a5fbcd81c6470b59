import { type Exit, exits, type Position } from './fact.ts';
import { countProfitable, type PositionTotals } from './realizable.ts';

/** The figures of positions that `verify` compares, of one type: numbers of positions by exit and in profit, and a sum. */
export type PositionFigures = Readonly<Record<Exit, number>> & {
  readonly profitable: number;
  /** Sum of hundredths of a percent. */
  readonly realizableSum: bigint;
};

export const noPositions: PositionFigures = {
  open: 0,
  target: 0,
  stop: 0,
  end: 0,
  profitable: 0,
  realizableSum: 0n,
};

/** The figures with one position more. */
export function withPosition(figures: PositionFigures, position: Position | undefined): PositionFigures {
  if (!position) return figures;
  const { roi, exit } = position;
  return {
    ...figures,
    [exit]: figures[exit] + 1,
    profitable: figures.profitable + (roi > 0 ? 1 : 0),
    realizableSum: figures.realizableSum + BigInt(roi),
  };
}

/** The same figures, as the service would serve them. */
export function positionFiguresOf(totals: PositionTotals | undefined): PositionFigures {
  if (!totals) return noPositions;
  const byExit = Object.fromEntries(exits.map((exit) => [exit, totals.byExit[exit]])) as Record<Exit, number>;
  return { ...byExit, profitable: countProfitable([totals]), realizableSum: totals.roiSum };
}
