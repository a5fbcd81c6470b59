import type { Webhook } from '../../generated/types.ts';
import type { Command } from '../command.ts';
import { instant } from '../formats.ts';
import { outcomeOf, printOutcome } from '../outcome.ts';
import { type Column, Table } from '../table.ts';
import { listen } from './listen.ts';

const columns: readonly Column<Webhook>[] = [
  { title: 'CREATED', of: ({ created_at }) => instant(created_at) },
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATUS', of: ({ status, disabled_reason }) => disabled_reason ?? status },
  { title: 'EVENTS', of: ({ events }) => events.join(',') },
  { title: 'URL', of: ({ url }) => url },
];

const list: Command = {
  name: 'webhooks list',
  summary: 'List your webhooks, newest first',
  run: async ({ show, connect }) => {
    const { webhooks } = await connect();
    // One page has all webhooks of an account.
    const { data, meta } = await webhooks.list({ limit: 100 });
    show({ data, meta }, () => new Table(columns).lines(data));
  },
};

const trigger: Command = {
  name: 'webhooks trigger',
  summary: 'Send a webhook.test event to one of your webhooks, and show the result',
  positionals: ['<webhook id>'],
  details:
    'A receiver on this machine is tested by: sigcast webhooks listen --test. One test in 10 s is possible.',
  run: async ({ values, json, io, connect }) => {
    const { webhooks } = await connect();
    const id = values.positional(0);
    const { data } = await webhooks.test(id);
    return printOutcome(await outcomeOf(webhooks, id, data), { json, io });
  },
};

export const webhookCommands: readonly Command[] = [list, listen, trigger];
