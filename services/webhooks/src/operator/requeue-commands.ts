import { instantSchema, webhookIdSchema } from '@sigcast/contracts';
import { CommandFailed, readOptions } from '@sigcast/operator';
import type { DeliveryPosition } from '../domain/delivery.ts';
import { markDue } from '../store/lane-store.ts';
import { retryFailed } from '../store/retry-failed.ts';
import type { Command } from './command.ts';
import { namedDelivery } from './delivery-commands.ts';

/** The most failed deliveries that are read, and made due, at once. */
const batch = 500;

const one: Command = {
  usage: 'requeue one DELIVERY',
  summary: 'Makes a delivery that has ended due at once, with all its retries.',
  run: async (context) => {
    const { log, record } = await namedDelivery(context);
    const restarted = await log.restart(record, { from: record.attemptCount, once: false });
    if (restarted === 'pending')
      throw new CommandFailed('delivery_pending', `${record.id} is pending already`);
    if (restarted === 'event-gone')
      throw new CommandFailed('event_gone', `the event of ${record.id} is no longer kept`);
    return { data: { requeued: 1 }, text: `${record.id} is due, with all its retries` };
  },
};

const failed: Command = {
  usage: 'requeue failed --webhook ID --since TIME',
  summary: 'Makes the failed deliveries of a webhook since a time due at once, with all their retries.',
  run: async ({ args, openStore }) => {
    const { webhook, since } = readOptions(args, {
      shape: { webhook: webhookIdSchema, since: instantSchema },
    });
    const store = await openStore();
    const which = { subscription: webhook, since, failedBefore: new Date() };
    let requeued = 0;
    let after: DeliveryPosition | undefined;
    do {
      const done = await retryFailed(store.deliveries, which, { after, limit: batch, at: new Date() });
      after = done.position;
      requeued += done.retried;
      await markDue(store, [webhook]);
    } while (after);
    return { data: { requeued }, text: `${requeued} failed deliveries are due, with all their retries` };
  },
};

export const requeueCommands = { one, failed } satisfies Record<string, Command>;
