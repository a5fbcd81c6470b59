import { storeCall } from '@sigcast/mongo';
import { indexNames } from './indexes.ts';
import type { Models } from './models.ts';

/** The watermark passes an event whose deliveries are not all made after this time, in milliseconds. */
const maxWaitMs = 60_000;
/** Events read at once: first as many as one worker fans out at once, then more while all of them are done. */
const batches = { first: 20, later: 1_000 };

/**
 * Returns a function that reads the fan-out watermark: the sequence number up to which the deliveries of all events are made,
 * except events that are older than {@link maxWaitMs}. It goes on from its last result, so each event is read about once.
 * After a pause longer than that, it begins anew at the first event that is young enough.
 * `now`: the store's clock, in Unix milliseconds.
 */
export function fanOutWatermark({ events }: Models, now: () => number): () => Promise<number> {
  let watermark = 0;
  let advancedAtMs = Number.NEGATIVE_INFINITY;
  let advancing: Promise<number> | undefined;

  const lastOlderThan = async (before: Date): Promise<number> => {
    const old = await events
      .find({ created_at: { $lt: before } }, { sequence: 1 })
      .sort({ created_at: -1 })
      .limit(1)
      .hint(indexNames.kept)
      .lean();
    return old[0]?.sequence ?? 0;
  };
  const advance = async (): Promise<number> => {
    const nowMs = now();
    const before = new Date(nowMs - maxWaitMs);
    // After a pause the events that the watermark passes in any case are skipped, not read one by one.
    if (advancedAtMs < before.getTime()) watermark = Math.max(watermark, await lastOlderThan(before));
    advancedAtMs = nowMs;
    for (let batch = batches.first; ; batch = batches.later) {
      const next = await events
        .find({ sequence: { $gt: watermark } }, { sequence: 1, fanned_out: 1, created_at: 1 })
        .sort({ sequence: 1 })
        .limit(batch)
        .hint(indexNames.feed)
        .lean();
      for (const { sequence, fanned_out, created_at } of next) {
        if (fanned_out !== true && created_at >= before) return watermark;
        watermark = sequence;
      }
      if (next.length < batch) return watermark;
    }
  };
  return () => {
    advancing ??= storeCall(advance).finally(() => {
      advancing = undefined;
    });
    return advancing;
  };
}
