import type { Position } from '@sigcast/contracts';

/**
 * The condition on `created_at` and `_id` for signals that were created after an instant and up to another one, and that
 * stand in lists after one position and down to another.
 */
export function createdIn(
  {
    createdAfter,
    createdUntil,
  }: {
    readonly createdAfter?: Date | undefined;
    readonly createdUntil?: Date | undefined;
  },
  after?: Position,
  downTo?: Position,
): object {
  const bounds = [after?.createdAt, createdUntil].flatMap((bound) => bound?.getTime() ?? []);
  const times = {
    ...(createdAfter === undefined ? {} : { $gt: createdAfter }),
    ...(downTo === undefined ? {} : { $gte: downTo.createdAt }),
    ...(bounds.length === 0 ? {} : { $lte: new Date(Math.min(...bounds)) }),
  };
  return {
    ...(Object.keys(times).length === 0 ? {} : { created_at: times }),
    // Excludes signals of the same instant. The index seeks to the bound above; with an $or the development engine
    // would collect and sort all signals after it.
    ...(after === undefined ? {} : { $nor: [{ created_at: after.createdAt, _id: { $gte: after.id } }] }),
  };
}
