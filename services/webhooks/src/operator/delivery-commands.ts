import {
  deliveryStatuses,
  instantSchema,
  maxPagedRows,
  sentEventTypeSchema,
  webhookIdSchema,
} from '@sigcast/contracts';
import { CommandFailed, readOptions, wholeNumber } from '@sigcast/operator';
import { z } from 'zod';
import { type DeliveryRecord, detailOf, toDelivery } from '../domain/delivery.ts';
import { mongoDeliveryLog } from '../store/delivery-log.ts';
import { subscriptionOf } from '../store/new-deliveries.ts';
import type { Command, CommandContext } from './command.ts';

const deliveryId = z.string().regex(/^evt_\w+\.wh_\w+$/, 'must be a delivery identifier');

/** The delivery that a command names, and the log. @throws {CommandFailed} delivery_not_found when there is none. */
export async function namedDelivery({ args, openStore }: CommandContext) {
  const { delivery } = readOptions(args, { positionals: ['delivery'], shape: { delivery: deliveryId } });
  const log = mongoDeliveryLog(await openStore(), Date.now);
  const record = await log.find(subscriptionOf(delivery), delivery);
  if (!record) throw new CommandFailed('delivery_not_found', `there is no delivery ${delivery}`);
  return { log, record };
}

const list: Command = {
  usage: 'deliveries list --webhook ID [--status STATUS] [--event EVENT] [--since TIME] [--limit NUMBER]',
  summary: 'Lists the deliveries to a webhook, newest first, 20 unless --limit says otherwise.',
  run: async ({ args, openStore }) => {
    const { webhook, limit, ...filter } = readOptions(args, {
      shape: {
        webhook: webhookIdSchema,
        status: z.enum(deliveryStatuses, `must be one of ${deliveryStatuses.join(', ')}`).optional(),
        event: sentEventTypeSchema.optional(),
        since: instantSchema.optional(),
        limit: wholeNumber(1, 1_000).default(20),
      },
    });
    const log = mongoDeliveryLog(await openStore(), Date.now);
    const { total, items } = await log.list(webhook, { ...filter, limit, after: { page: 1 } });
    return {
      data: { total, deliveries: items.map(toDelivery) },
      text: [
        ...items.map(line),
        `${items.length} of ${total}${total === maxPagedRows ? ' or more' : ''}`,
      ].join('\n'),
    };
  },
};

const show: Command = {
  usage: 'deliveries show DELIVERY',
  summary: 'Shows a delivery and each of its attempts.',
  run: async (context) => {
    const { log, record } = await namedDelivery(context);
    const attempts = record.attempts.map(
      ({ number, started_at, outcome, http_status, duration_ms, error }) =>
        `  ${number}  ${started_at}  ${outcome} ${http_status ?? ''}  ${Math.round(duration_ms)} ms  ${error ?? ''}`,
    );
    return { data: await detailOf(record, log), text: [line(record), ...attempts].join('\n') };
  },
};

export const deliveryCommands = { list, show } satisfies Record<string, Command>;

function line({ id, event, status, attemptCount, createdAt, nextAttemptAt }: DeliveryRecord): string {
  const next = nextAttemptAt ? `, next ${nextAttemptAt.toISOString()}` : '';
  return `${id}  ${createdAt.toISOString()}  ${event}  ${status} after ${attemptCount}${next}`;
}
