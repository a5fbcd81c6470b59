import type { SignalType, WebhookEventType } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import { type Candidate, candidatesPage, type FanOutPorts } from '../domain/fan-out.ts';
import { deliveryOpener } from './delivery-opener.ts';
import { batchTermsOf } from './documents.ts';
import { eventLog } from './event-log.ts';
import { indexNames } from './indexes.ts';
import { type Models, plainEvents, plainSubscriptions } from './models.ts';

/** The most calls that share one command when they come at the same time, and the most such commands at once. */
const batches = { most: 100, atOnce: 2 };

/** The fields of a {@link Candidate}. */
const candidateFields = {
  account: 1,
  url: 1,
  proven: 1,
  ordered: 1,
  batch: 1,
  filter: 1,
  chat: 1,
  account_state: 1,
} as const;

type Wanted = { readonly event: WebhookEventType; readonly type: SignalType; readonly after: string };

/** What the fan-out reads and writes in MongoDB. */
export function mongoFanOutStore(models: Models, now: () => number): Omit<FanOutPorts, 'notify' | 'meets'> {
  const log = eventLog(models, now);

  const findMatching = async ({ event, type, after }: Wanted): Promise<readonly Candidate[]> => {
    const found = await plainSubscriptions(models)
      .find(
        { status: 'enabled', events: event, _id: { $gt: after }, types: type },
        { projection: candidateFields, hint: indexNames.matching },
      )
      .sort({ _id: 1 })
      .limit(candidatesPage)
      .toArray();
    return found.map((one) => ({
      id: one._id,
      account: one.account,
      url: one.url,
      proven: one.proven,
      ordered: one.ordered,
      batch: batchTermsOf(one),
      filter: one.filter,
      suspended: one.account_state?.suspended === true,
    }));
  };
  const findCandidates = inBatches(
    (batch: readonly Wanted[]) =>
      storeCall(() => {
        const found = new Map<string, Promise<readonly Candidate[]>>();
        return Promise.all(
          batch.map((wanted) => {
            const key = `${wanted.event} ${wanted.type} ${wanted.after}`;
            const finding = found.get(key) ?? findMatching(wanted);
            found.set(key, finding);
            return finding;
          }),
        );
      }),
    batches,
  );

  return {
    appendEvent: log.append,

    markFannedOut: inBatches(
      (ids: readonly string[]) =>
        storeCall(async () => {
          const done = { _id: { $in: [...ids] } };
          await Promise.all([
            plainEvents(models).updateMany(done, { $set: { fanned_out: true } }),
            log.saveLast(),
          ]);
          return ids.map(() => undefined);
        }),
      batches,
    ),

    matching: (event, type, after) => findCandidates({ event, type, after }),

    openDeliveries: deliveryOpener(models, now),
  };
}
