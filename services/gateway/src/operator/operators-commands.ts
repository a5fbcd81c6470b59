import { CommandFailed, readOptions, wholeNumber } from '@sigcast/operator';
import { z } from 'zod';
import type { Account } from '../domain/accounts.ts';
import type { StoredLogEntry } from '../domain/operator-log.ts';
import { dayMs } from '../domain/usage.ts';
import { changeByCommand, requireAccount } from './account-commands.ts';
import type { Command } from './command.ts';

const add: Command = {
  usage: 'operators add ID|EMAIL',
  summary:
    'Marks an account as an operator. Its sessions see the operator pages from the next request on. An e-mail address is enough only if it is verified: anybody can sign up with an address.',
  run: async ({ args, openStore }) => {
    const { id } = readOptions(args, { positionals: ['id'], shape: { id: z.string().min(1) } });
    const store = await openStore();
    const { id: found, email, verification } = await requireAccount(store, id);
    if (id !== found && verification !== 'verified') {
      throw new CommandFailed(
        'email_not_verified',
        `nobody has verified that ${email} belongs to the holder of this account; give the id, which its holder sees in the dashboard under Profile`,
      );
    }
    const account = await changeByCommand(store, found, { operator: true });
    const warnings = warningsOf(account, Date.now());
    return {
      data: { id: account.id, email: account.email, operator: true, warnings },
      text: `${account.id} ${account.email} is an operator`,
      note: warnings.join('\n'),
    };
  },
};

/** What an operator should know who lets an account operate. */
function warningsOf({ verification, createdAt }: Account, nowMs: number): string[] {
  const warnings = [
    'This account can now see all accounts and their failing webhooks, suspend and resume accounts, and change their plans.',
  ];
  if (verification !== 'verified') {
    warnings.push('Nobody has verified that the e-mail address belongs to its holder.');
  }
  if (nowMs - createdAt.getTime() < dayMs) warnings.push('The account is less than a day old.');
  return warnings;
}

const remove: Command = {
  usage: 'operators remove ID|EMAIL',
  summary: 'Removes the mark. Its sessions lose the operator pages with the next request.',
  run: async ({ args, openStore }) => {
    const { id } = readOptions(args, { positionals: ['id'], shape: { id: z.string().min(1) } });
    const account = await changeByCommand(await openStore(), id, { operator: false });
    return {
      data: { id: account.id, email: account.email, operator: false },
      text: `${account.id} ${account.email} is no operator any more`,
    };
  },
};

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
  add,
  remove,
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
