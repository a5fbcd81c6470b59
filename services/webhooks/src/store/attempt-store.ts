import { storeCall } from '@sigcast/mongo';
import type { AttemptStore } from '../domain/attempting.ts';
import { quarantineCrashes } from '../domain/delivery.ts';
import { mongoClaims } from './claims.ts';
import { indexNames, type Models } from './documents.ts';
import { pointerGraceMs } from './fan-out-store.ts';
import { outcomeWriter } from './outcome-writer.ts';

/** A delivery the sweeper has just found is left alone this long, in milliseconds. */
const sweptPauseMs = 10_000;
/** And this long when it has been due for longer: its subscription has a backlog, which its slots work off. */
const longSweptPauseMs = 60_000;

/** Claims and outcomes in MongoDB. `now` is Unix milliseconds. */
export function mongoAttemptStore(models: Models, now: () => number): AttemptStore {
  const { deliveries } = models;
  const writeOutcome = outcomeWriter(models);

  return {
    ...mongoClaims(models, now),

    complete: ({ delivery, lease }, { attempt, status, nextAttemptAt }) =>
      storeCall(() =>
        writeOutcome({
          id: delivery.id,
          leaseToken: lease.token,
          attempt,
          update: {
            $push: { attempts: attempt },
            $inc: { attempt_count: 1 },
            $set: {
              status,
              next_attempt_at: nextAttemptAt,
              lease: null,
              crashes: 0,
              updated_at: new Date(now()),
              ...(nextAttemptAt ? { sweep_at: new Date(nextAttemptAt.getTime() + pointerGraceMs) } : {}),
            },
            ...(nextAttemptAt ? {} : { $unset: { sweep_at: '' } }),
          },
        }),
      ),

    release: ({ delivery, lease }, nextAttemptAt) =>
      storeCall(async () => {
        await deliveries.updateOne(
          { _id: delivery.id, 'lease.token': lease.token },
          { $set: { lease: null, next_attempt_at: nextAttemptAt, sweep_at: nextAttemptAt } },
        );
      }),

    quarantine: ({ delivery, lease }, attempt) =>
      storeCall(async () => {
        await deliveries.updateOne(
          { _id: delivery.id, 'lease.token': lease.token },
          {
            $push: { attempts: attempt },
            $set: {
              ...{ status: 'failed', crashes: quarantineCrashes, next_attempt_at: null, lease: null },
              updated_at: new Date(now()),
            },
            $unset: { sweep_at: '' },
          },
        );
      }),

    takeStranded: (limit) =>
      storeCall(async () => {
        const at = now();
        const found = await deliveries
          .find({ sweep_at: { $lte: new Date(at) } }, { _id: 1, next_attempt_at: 1 })
          .sort({ sweep_at: 1 })
          .limit(limit)
          .hint(indexNames.sweep)
          .lean();
        const late = ({ next_attempt_at }: (typeof found)[number]) =>
          at - (next_attempt_at?.getTime() ?? at) > longSweptPauseMs;
        const [long, short] = [found.filter(late), found.filter((one) => !late(one))];
        const postpone = async (some: typeof found, pauseMs: number) => {
          if (some.length === 0) return;
          const ids = some.map(({ _id }) => _id);
          await deliveries.updateMany(
            { _id: { $in: ids }, sweep_at: { $lte: new Date(at) } },
            { $set: { sweep_at: new Date(at + pauseMs) } },
          );
        };
        await Promise.all([postpone(short, sweptPauseMs), postpone(long, longSweptPauseMs)]);
        return found.map(({ _id }) => _id);
      }),
  };
}
