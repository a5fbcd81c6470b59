import { storeCall } from '@sigcast/mongo';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

/** An event whose deliveries are not all made after this time is not waited for any more, in milliseconds. */
const waitedForMs = 60_000;
/** Events looked at in one go: first as many as one worker has in hand, and more only while all of them were done. */
const batches = { first: 20, later: 1_000 };

/**
 * A function that says up to which place of the feed the deliveries of all events are made, save those that it does not wait
 * for any more. It goes on from where it was, so each event that is done is read once; after a pause longer than it waits for
 * any event, it begins anew. `now`: the store's clock, in Unix milliseconds.
 */
export function fanOutMark({ events }: Models, now: () => number): () => Promise<number> {
  let mark = 0;
  let advancedAtMs = Number.NEGATIVE_INFINITY;
  let advancing: Promise<number> | undefined;

  const begin = async (before: Date): Promise<number> => {
    const old = await events
      .find({ created_at: { $lt: before }, seq: { $exists: true } }, { seq: 1 })
      .sort({ created_at: -1 })
      .limit(1)
      .hint(indexNames.kept)
      .lean();
    return old[0]?.seq ?? 0;
  };
  const advance = async (): Promise<number> => {
    const nowMs = now();
    const before = new Date(nowMs - waitedForMs);
    // All it would walk over until there is older than what it waits for.
    if (advancedAtMs < before.getTime()) mark = Math.max(mark, await begin(before));
    advancedAtMs = nowMs;
    for (let batch = batches.first; ; batch = batches.later) {
      const next = await events
        .find({ seq: { $gt: mark } }, { seq: 1, fanned_out: 1, created_at: 1 })
        .sort({ seq: 1 })
        .limit(batch)
        .hint(indexNames.feed)
        .lean();
      for (const { seq = 0, fanned_out, created_at } of next) {
        if (fanned_out !== true && created_at >= before) return mark;
        mark = seq;
      }
      if (next.length < batch) return mark;
    }
  };
  return () => {
    advancing ??= storeCall(advance).finally(() => {
      advancing = undefined;
    });
    return advancing;
  };
}
