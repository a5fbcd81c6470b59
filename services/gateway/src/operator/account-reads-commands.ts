import { accountStatuses } from '@sigcast/contracts';
import { readOptions } from '@sigcast/operator';
import { z } from 'zod';
import { type Account, emailVerifications } from '../domain/accounts.ts';
import { keyIdOf } from '../domain/api-key.ts';
import { requireAccount } from './account-commands.ts';
import type { Command, Store } from './command.ts';

/** Accounts that are read at once. */
const perRead = 500;

const list: Command = {
  usage:
    'account list [--email PREFIX] [--status active|suspended] [--verification verified|pending|not-asked] [--plan PLAN] [--operator] [--after ID] [--limit N]',
  summary:
    'Lists accounts, newest first; with --email by address. 100 unless --limit says otherwise; --after continues behind an account of the list.',
  run: async ({ args, openStore }) => {
    const { limit, email, after, ...wanted } = readOptions(args, {
      flags: ['operator'],
      shape: {
        email: z.string().trim().min(1).max(254).optional(),
        status: z.enum(accountStatuses).exclude(['deleted']).optional(),
        verification: z.enum(emailVerifications).optional(),
        plan: z.string().min(1).optional(),
        operator: z.boolean().optional(),
        after: z.string().min(1).optional(),
        limit: z.coerce.number().int().min(1).max(10_000).default(100),
      },
    });
    const store = await openStore();
    const from = after === undefined ? undefined : await requireAccount(store, after);
    const found: Account[] = [];
    for await (const account of all(store, email, from)) {
      if (isWanted(account, wanted)) found.push(account);
      if (found.length === limit) break;
    }
    return {
      data: { accounts: found.map(describe) },
      text: found.length === 0 ? 'no accounts' : found.map(lineOf).join('\n'),
    };
  },
};

const show: Command = {
  usage: 'account show ID|EMAIL',
  summary: 'Shows an account: its state, its plan, today’s requests, and its keys without their text.',
  run: async ({ args, openStore }) => {
    const { id } = readOptions(args, { positionals: ['id'], shape: { id: z.string().min(1) } });
    const store = await openStore();
    const account = await requireAccount(store, id);
    const [keys, figures] = await Promise.all([
      store.keys.list(account.id),
      store.reads.figuresOf([account.id]),
    ]);
    const { requests = 0, refused = 0, liveKeys = 0 } = figures.get(account.id) ?? {};
    const shown = keys.map(({ sha256, name, environment, first, last, ...key }) => ({
      id: keyIdOf(sha256),
      name,
      environment,
      shown: `${first}…${last}`,
      created_at: key.createdAt,
      last_used_at: key.lastUsedAt,
      expires_at: key.expiresAt,
      revoked_at: key.revokedAt,
    }));
    const data = { ...describe(account), today: { requests, refused }, live_keys: liveKeys, keys: shown };
    const keyLines = shown.map(
      (key) => `  ${key.id} ${key.shown} ${key.name} (${key.environment})${endOf(key)}`,
    );
    return {
      data,
      text: [
        lineOf(account),
        ...(account.newEmail === null ? [] : [`to have the address ${account.newEmail}, not confirmed yet`]),
        `requests today ${requests}, refused ${refused}`,
        `keys ${liveKeys} valid of ${shown.length}`,
        ...keyLines,
      ].join('\n'),
    };
  },
};

export const accountReadsCommands = { list, show } satisfies Record<string, Command>;

/** All accounts behind `from`, a page at a time: newest first, or by address where a prefix is given. */
async function* all({ reads }: Store, email: string | undefined, from: Account | undefined) {
  let last = from;
  for (;;) {
    const page: readonly Account[] =
      email === undefined
        ? await reads.newest({ after: last?.id, limit: perRead })
        : await reads.byEmail({ prefix: email, after: last?.email, limit: perRead });
    yield* page;
    last = page.at(-1);
    if (page.length < perRead) return;
  }
}

type Wanted = { readonly [M in 'status' | 'verification' | 'plan' | 'operator']?: Account[M] | undefined };

function isWanted(account: Account, { status, verification, plan, operator }: Wanted): boolean {
  const differs = <T>(is: T, wanted: T | undefined) => wanted !== undefined && is !== wanted;
  return !(
    differs(account.status, status) ||
    differs(account.verification, verification) ||
    differs(account.plan, plan) ||
    differs(account.operator, operator)
  );
}

function describe({ id, email, newEmail, plan, status, verification, operator, createdAt }: Account) {
  return {
    id,
    email,
    new_email: newEmail,
    plan,
    status,
    verification,
    operator,
    created_at: createdAt.toISOString(),
  };
}

function lineOf({ id, email, plan, status, verification, operator, createdAt }: Account): string {
  const address = verification === 'verified' ? 'confirmed' : 'not confirmed';
  const mark = operator ? ', operator' : '';
  return `${id} ${email} (${address}) ${status}, plan ${plan}${mark}, since ${createdAt.toISOString()}`;
}

function endOf({
  revoked_at: revoked,
  expires_at: expires,
}: {
  revoked_at: Date | null;
  expires_at: Date | null;
}) {
  if (revoked !== null) return `, revoked ${revoked.toISOString()}`;
  return expires === null ? '' : `, expires ${expires.toISOString()}`;
}
