import type { Delivery, DeliveryAttempt, ListDeliveriesQuery } from '../../generated/types.ts';
import type { Command } from '../command.ts';
import { wrongUsage } from '../exits.ts';
import { count, instant } from '../formats.ts';
import { outcomeOf, printOutcome } from '../outcome.ts';
import { type Column, fieldLines, Table } from '../table.ts';

const columns: readonly Column<Delivery>[] = [
  { title: 'CREATED', of: ({ created_at }) => instant(created_at) },
  { title: 'EVENT', of: ({ event }) => event },
  { title: 'STATUS', of: ({ status }) => status },
  { title: 'ATTEMPTS', of: ({ attempt_count }) => attempt_count, right: true },
  { title: 'NEXT ATTEMPT', of: ({ next_attempt_at }) => instant(next_attempt_at) },
  { title: 'ID', of: ({ id }) => id },
];

const attemptColumns: readonly Column<DeliveryAttempt>[] = [
  { title: 'ATTEMPT', of: ({ number }) => number, right: true },
  { title: 'STARTED', of: ({ started_at }) => instant(started_at) },
  { title: 'OUTCOME', of: ({ outcome }) => outcome },
  { title: 'HTTP', of: ({ http_status }) => http_status ?? '–', right: true },
  { title: 'TIME', of: ({ duration_ms }) => `${Math.round(duration_ms)} ms`, right: true },
  { title: 'ERROR', of: ({ error }) => error ?? '–' },
];

const list: Command = {
  name: 'deliveries list',
  summary: 'List the deliveries to a webhook, newest first',
  positionals: ['<webhook id>'],
  options: {
    status: { value: '<status>', help: 'only this status: pending, delivered or failed' },
    event: { value: '<event>', help: 'only this event, such as signal.new' },
    since: { value: '<time>', help: 'only deliveries made after this time' },
    limit: { value: '<n>', help: 'deliveries per page, 1 to 100 (default 20)' },
    cursor: { value: '<cursor>', help: 'continue here: "next_cursor" of the page before' },
  },
  run: async ({ values, json, show, io, connect }) => {
    const { webhooks } = await connect();
    const limit = values.wholeNumber('limit', 1);
    const query = {
      ...(values.parameters('status', 'event', 'since', 'cursor') as ListDeliveriesQuery),
      ...(limit !== undefined && { limit }),
    };
    const { data, meta } = await webhooks.deliveries(values.positional(0), query);
    show({ data, meta }, () => new Table(columns).lines(data));
    if (json) return;
    io.note(`${count(data.length)} of ${count(meta.total)}`);
    if (meta.next_cursor) io.note(`More: --cursor ${meta.next_cursor}`);
  },
};

const get: Command = {
  name: 'deliveries get',
  summary: 'Show a delivery with every attempt',
  positionals: ['<delivery id>'],
  run: async ({ values, show, connect }) => {
    const id = values.positional(0);
    const webhookId = webhookOf(id);
    const { webhooks } = await connect();
    const { data } = await webhooks.delivery(webhookId, id);
    const { attempts, ...delivery } = data;
    show(data, () => [...fieldLines(delivery), '', ...new Table(attemptColumns).lines(attempts)]);
  },
};

const retry: Command = {
  name: 'deliveries retry',
  summary: 'Attempt a delivery once more, and show the result',
  positionals: ['<delivery id>'],
  run: async ({ values, json, io, connect }) => {
    const id = values.positional(0);
    const webhookId = webhookOf(id);
    const { webhooks } = await connect();
    const { data } = await webhooks.retryDelivery(webhookId, id);
    return printOutcome(await outcomeOf(webhooks, webhookId, data), { json, io });
  },
};

export const deliveryCommands: readonly Command[] = [list, get, retry];

/** The webhook of a delivery: the part of the id after the dot. */
function webhookOf(deliveryId: string): string {
  const [, webhookId] = /^[^.]+\.(wh_\w+)$/.exec(deliveryId) ?? [];
  if (webhookId !== undefined) return webhookId;
  throw wrongUsage(`A delivery’s id has the form evt_….wh_…, not "${deliveryId}"`);
}
