import { readOptions, wholeNumber } from '@sigcast/operator';
import { z } from 'zod';
import type { StoredLogEntry } from '../domain/operator-log.ts';
import { changeByCommand, requireAccount } from './account-commands.ts';
import type { Command } from './command.ts';

const setMark = (name: 'add' | 'remove', summary: string): Command => ({
  usage: `operators ${name} ID|EMAIL`,
  summary,
  run: async ({ args, openStore }) => {
    const { id } = readOptions(args, { positionals: ['id'], shape: { id: z.string().min(1) } });
    const operator = name === 'add';
    const account = await changeByCommand(await openStore(), id, { operator });
    return {
      data: { id: account.id, email: account.email, operator },
      text: `${account.id} ${account.email} ${operator ? 'is an operator' : 'is no operator any more'}`,
    };
  },
});

const list: Command = {
  usage: 'operators list',
  summary: 'Lists the accounts that are marked as operators.',
  run: async ({ args, openStore }) => {
    readOptions(args, { shape: {} });
    const found = await (await openStore()).reads.operators();
    return {
      data: { operators: found.map(({ id, email, status }) => ({ id, email, status })) },
      text: found.map(({ id, email, status }) => `${id} ${email} ${status}`).join('\n'),
    };
  },
};

const log: Command = {
  usage: 'operators log [--account ID|EMAIL] [--limit 50]',
  summary: 'Lists what operators did, newest first.',
  run: async ({ args, openStore }) => {
    const options = readOptions(args, {
      shape: { account: z.string().min(1).optional(), limit: wholeNumber(1, 1_000).default(50) },
    });
    const store = await openStore();
    // A deleted account is still in the log, by its id.
    const account = options.account?.includes('@')
      ? (await requireAccount(store, options.account)).id
      : options.account;
    const entries = await store.log.list({ account, limit: options.limit });
    return { data: { entries: entries.map(describe) }, text: entries.map(line).join('\n') };
  },
};

export const operatorsCommands = {
  add: setMark(
    'add',
    'Marks an account as an operator. Its sessions see the operator pages from the next request on.',
  ),
  remove: setMark('remove', 'Removes the mark. Its sessions lose the operator pages with the next request.'),
  list,
  log,
} satisfies Record<string, Command>;

function describe({ id, at, actor, action, account, before, after }: StoredLogEntry) {
  return { id, at: at.toISOString(), by: actor, action, account, before, after };
}

function line({ at, actor, action, account, before, after }: StoredLogEntry): string {
  const who = actor.via === 'command' ? `command by ${actor.user}` : actor.account;
  const facts = `${JSON.stringify(before)} → ${JSON.stringify(after)}`;
  return `${at.toISOString()}  ${who}  ${action}  ${account ?? '-'}  ${facts}`;
}
