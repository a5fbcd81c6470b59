import type { SignalType, WebhookEventType } from '@sigcast/contracts';
import { idBatches, storeCall } from '@sigcast/mongo';
import { inBatches } from '@sigcast/runtime';
import type { Recipient } from '../domain/attempting.ts';
import type { FanOutPorts } from '../domain/fan-out.ts';
import { signingSecrets } from '../domain/signing-secrets.ts';
import { deliveryOpener } from './delivery-opener.ts';
import { failingOf, isProven } from './documents.ts';
import { eventLog } from './event-log.ts';
import { indexNames } from './indexes.ts';
import { isHeld, markDue } from './lane-store.ts';
import type { Writer } from './leases.ts';
import { type Models, plainEvents, plainSubscriptions } from './models.ts';

/** Events that come at the same time share commands: as many as a worker has in hand, while two commands are under way. */
const batches = { most: 100, atOnce: 2 };

/** What a delivery needs to know of its subscription. */
const recipientFields = {
  account: 1,
  url: 1,
  proven: 1,
  ordered: 1,
  secret: 1,
  retired_secrets: 1,
  failing_since: 1,
  failing_told: 1,
  account_state: 1,
} as const;

type Wanted = { readonly event: WebhookEventType; readonly type: SignalType };

/** What the fan-out reads and writes in MongoDB. */
export function mongoFanOutStore(
  models: Models,
  writer: Writer,
): Pick<
  FanOutPorts,
  'keepEvent' | 'matching' | 'held' | 'giveBack' | 'openDeliveries' | 'markDue' | 'finish'
> {
  const { now, worker } = writer;
  const { subscriptions, deliveries } = models;
  const log = eventLog(models, now);

  const findMatching = async ({ event, type }: Wanted): Promise<readonly Recipient[]> => {
    const found = await plainSubscriptions(models)
      .find(
        { status: 'enabled', events: event, types: type },
        { projection: recipientFields, hint: indexNames.matching },
      )
      .toArray();
    const at = new Date(now());
    return found.map(
      ({
        _id,
        account,
        url,
        proven,
        ordered = false,
        secret,
        retired_secrets: retiredSecrets = [],
        account_state,
        ...noted
      }) => ({
        ...{ id: _id, account, url, proven: isProven({ proven }), ordered, failing: failingOf(noted) },
        held: account_state?.suspended === true,
        secrets: signingSecrets({ secret, retiredSecrets }, at),
      }),
    );
  };
  const lookUp = inBatches(
    (batch: readonly Wanted[]) =>
      storeCall(() => {
        const found = new Map<string, Promise<readonly Recipient[]>>();
        return Promise.all(
          batch.map((wanted) => {
            const key = `${wanted.event} ${wanted.type}`;
            const finding = found.get(key) ?? findMatching(wanted);
            found.set(key, finding);
            return finding;
          }),
        );
      }),
    batches,
  );

  return {
    keepEvent: log.keep,

    finish: inBatches(
      (ids: readonly string[]) =>
        storeCall(async () => {
          const done = { _id: { $in: [...ids] } };
          await Promise.all([
            plainEvents(models).updateMany(done, { $set: { fanned_out: true } }),
            log.note(),
          ]);
          return ids.map(() => undefined);
        }),
      batches,
    ),

    matching: (event, type) => lookUp({ event, type }),

    held: (ids) =>
      storeCall(async () => {
        const found = await subscriptions.find({ _id: { $in: ids }, ...isHeld }, { _id: 1 }).lean();
        return new Set(found.map(({ _id }) => _id));
      }),

    giveBack: (ids) =>
      storeCall(async () => {
        for (const some of idBatches(ids)) {
          await deliveries
            .updateMany({ _id: { $in: some }, 'lease.worker': worker() }, { $set: { lease: null } })
            .hint({ _id: 1 });
        }
      }),

    openDeliveries: deliveryOpener(models, writer),

    // A subscription that several events wait for is marked once for all of them.
    markDue: inBatches(
      (batch: readonly (readonly string[])[]) =>
        storeCall(async () => {
          await markDue(models, [...new Set(batch.flat())]);
          return batch.map(() => undefined);
        }),
      batches,
    ),
  };
}
