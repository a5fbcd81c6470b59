import type { DeliveryAttempt } from '@sigcast/contracts';
import { storeCall } from '@sigcast/mongo';
import type { AttemptStore, Claimed } from '../domain/attempting.ts';
import { type Lease, leaseMs, quarantineCrashes, suspectCrashes } from '../domain/delivery.ts';
import { signingSecrets } from '../domain/signing-secrets.ts';
import {
  type DeliveryDocument,
  indexNames,
  type Models,
  toDeliveryRecord,
  toSubscription,
} from './documents.ts';
import { pointerGraceMs } from './fan-out-store.ts';
import { heldBack } from './held-deliveries.ts';
import { leaseFields, newLease } from './leases.ts';
import { outcomeWriter } from './outcome-writer.ts';

/** A delivery the sweeper has just found is left alone this long, in milliseconds. */
const sweptPauseMs = 10_000;
/** And this long when it has been due for longer: its subscription has a backlog, which its slots work off. */
const longSweptPauseMs = 60_000;

/** Deliveries looked at when a slot asks for the next one: as many as may be asking at once, usually. */
const candidates = 10;

/** Claims and outcomes in MongoDB. `now` is Unix milliseconds. */
export function mongoAttemptStore(models: Models, now: () => number): AttemptStore {
  const { deliveries } = models;
  const writeOutcome = outcomeWriter(deliveries);

  const prepare = async (document: DeliveryDocument, lease: Lease): Promise<Claimed | undefined> => {
    const [subscription, body] = await Promise.all([
      models.subscriptions.findById(document.subscription).lean(),
      document.body ??
        models.events
          .findById(document.event_id, { body: 1 })
          .lean()
          .then((event) => event?.body),
    ]);
    if (!subscription || body === undefined) {
      // Deleted meanwhile: there is nobody to send to, and nobody who could read the log.
      await deliveries.deleteOne({ _id: document._id, 'lease.token': lease.token });
      return undefined;
    }
    if (await heldBack(models, subscription, document, now())) return undefined;
    return {
      delivery: toDeliveryRecord(document),
      lease,
      url: subscription.url,
      secrets: signingSecrets(toSubscription(subscription), new Date(now())),
      failingSince: subscription.failing_since ?? null,
      body,
    };
  };

  /** A lease that ran out: its worker died. The interrupted attempt goes into the log and costs no retry. */
  const takeOver = async (id: string): Promise<Claimed | undefined> => {
    const document = await deliveries
      .findOne({ _id: id, status: 'pending', 'lease.until': { $lte: new Date(now()) } })
      .lean();
    if (!document?.lease) return undefined;
    const lease = newLease(now());
    const crashes = Math.max(document.crashes, Math.min(document.crashes + 1, suspectCrashes));
    const taken = await deliveries
      .findOneAndUpdate(
        { _id: id, 'lease.token': document.lease.token },
        {
          $push: { attempts: interrupted(document, now()) },
          $set: { crashes, updated_at: new Date(now()), ...leaseFields(lease) },
        },
        { returnDocument: 'after' },
      )
      .lean();
    return taken ? prepare(taken, lease) : undefined;
  };

  const due = () => ({ status: 'pending' as const, next_attempt_at: { $lte: new Date(now()) }, lease: null });

  const claimFree = async (id: string): Promise<Claimed | undefined> => {
    const lease = newLease(now());
    const document = await deliveries
      .findOneAndUpdate({ _id: id, ...due() }, { $set: leaseFields(lease) }, { returnDocument: 'after' })
      .lean();
    return document ? prepare(document, lease) : undefined;
  };

  const oldestDue = async (subscription: string): Promise<string[]> => {
    const found = await deliveries
      .find({ subscription, ...due() }, { _id: 1 })
      .sort({ next_attempt_at: 1 })
      .limit(candidates)
      .hint(indexNames.due)
      .lean();
    return found.map(({ _id }) => _id);
  };

  return {
    claim: (id) => storeCall(async () => (await claimFree(id)) ?? takeOver(id)),

    claimNext: (subscription) =>
      storeCall(async () => {
        // Other slots look at the same list: the next candidate when one is lost, the next list when all are.
        for (let ids = await oldestDue(subscription); ids.length > 0; ids = await oldestDue(subscription)) {
          for (const id of ids) {
            const claimed = await claimFree(id);
            if (claimed) return claimed;
          }
        }
        return undefined;
      }),

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

function interrupted(document: DeliveryDocument, at: number): DeliveryAttempt {
  const startedAt = document.lease?.started_at ?? document.updated_at;
  return {
    number: document.attempt_count + 1,
    started_at: startedAt.toISOString(),
    duration_ms: Math.max(0, Math.min(at - startedAt.getTime(), leaseMs)),
    outcome: 'interrupted',
    http_status: null,
    error: 'The worker ended during the attempt; it may have reached the receiver.',
    response_body: null,
  };
}
