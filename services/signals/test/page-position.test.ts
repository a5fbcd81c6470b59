import type { Position } from '@sigcast/contracts';
import { seededRandom } from '@sigcast/runtime';
import { describe, expect, it } from 'vitest';
import { comparePositions, nthPosition } from '../src/store/page-position.ts';

type Item = Position & { stage: number };

const stages = 3;
const typesPerStage = 4;
/** As the branches of a filter: some of each stage, read stage by stage. */
const waves = Array.from({ length: stages }, (_, stage) =>
  Array.from({ length: typesPerStage }, (_each, type) => ({ stage, type })),
);

/** Signals in the order of lists, several of one instant, most in one branch or spread evenly. */
function itemsFrom(random: () => number, count: number) {
  const skew = 1 + 4 * random();
  return Array.from({ length: count }, (_, n) => ({
    id: `sig_${String(n).padStart(20, '0')}`,
    createdAt: new Date(Math.floor((random() * count) / 3)),
    type: Math.floor(random() ** skew * typesPerStage),
    stage: Math.floor(random() ** skew * stages),
  })).sort(comparePositions);
}

describe('positions in several branches', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'the position of the nth signal is found while signals move to later branches (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const items = itemsFrom(random, 6_000);
      const read = async (
        branch: { stage: number; type: number },
        {
          after,
          downTo,
          limit,
        }: { after: Position | undefined; downTo: Position | undefined; limit: number },
      ) => {
        const found = items
          .filter(({ stage, type }) => stage === branch.stage && type === branch.type)
          .filter(
            (item) =>
              (!after || comparePositions(item, after) > 0) && !(downTo && item.createdAt < downTo.createdAt),
          )
          .slice(0, limit);
        const positions = found.map(({ id, createdAt }) => ({ id, createdAt }));
        for (let moves = 0; moves < 40; moves++) {
          const moved = items[Math.floor(random() * items.length)];
          if (moved) moved.stage = Math.min(moved.stage + 1, stages - 1);
        }
        return positions;
      };
      for (const nth of [1, 20, 999, 2_500, 5_999, 6_000]) {
        const { id, createdAt } = items[nth - 1] as Item;
        expect(await nthPosition(waves, nth, read)).toEqual({ id, createdAt });
      }
      expect(await nthPosition(waves, 6_001, read)).toBeUndefined();
    },
  );
});
