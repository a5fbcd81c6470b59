import { storeCall } from '@sigcast/mongo';
import { indexNames, type Models } from './documents.ts';

/** An event whose deliveries are not all made after this time is not waited for any more, in milliseconds. */
const waitedForMs = 60_000;
/** Events looked at in one go. */
const batch = 1_000;

/**
 * A function that says up to which place of the feed the deliveries of all events are made, save those that it does not wait
 * for any more. It goes on from where it was, so each event is read once. `now`: the store's clock, in Unix milliseconds.
 */
export function fanOutMark({ events }: Models, now: () => number): () => Promise<number> {
  let mark: number | undefined;
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
    const before = new Date(now() - waitedForMs);
    mark ??= await begin(before);
    let last = mark;
    for (let found = batch; found === batch; ) {
      const next = await events
        .find({ seq: { $gt: last } }, { seq: 1, fanned_out: 1, created_at: 1 })
        .sort({ seq: 1 })
        .limit(batch)
        .hint(indexNames.feed)
        .lean();
      found = next.length;
      for (const { seq = 0, fanned_out, created_at } of next) {
        if (fanned_out !== true && created_at >= before) return last;
        last = seq;
        mark = last;
      }
    }
    return last;
  };
  return () => {
    advancing ??= storeCall(advance).finally(() => {
      advancing = undefined;
    });
    return advancing;
  };
}
