import { nameText } from '@sigcast/contracts';
import { CommandFailed, readOptions } from '@sigcast/operator';
import { z } from 'zod';
import { type KeyListing, keyIdOf } from '../domain/api-key.ts';
import { dayMs } from '../domain/usage.ts';
import { requireAccount } from './account-commands.ts';
import { type Command, loggedCommand, notPropagated } from './command.ts';

const account = z.string().min(1);

const create: Command = {
  usage: 'key create --account ID|EMAIL --name NAME [--environment NAME] [--expires 30|90|365|never]',
  summary:
    'Creates an API key, and shows it only once. It is for "production" and expires after 365 days unless you say otherwise.',
  run: async ({ args, openStore }) => {
    const options = readOptions(args, {
      shape: {
        account,
        name: nameText(100),
        environment: z.string().trim().min(1).max(40).default('production'),
        expires: z.enum(['30', '90', '365', 'never'], 'must be 30, 90, 365 or never').default('365'),
      },
    });
    const store = await openStore();
    const owner = await requireAccount(store, options.account);
    const days = options.expires === 'never' ? null : Number(options.expires);
    const { name, environment } = options;
    const expiresAt = days === null ? null : new Date(Date.now() + days * dayMs);
    await store.keys.requireRoom(owner.id);
    const key = await loggedCommand(
      store,
      { action: 'key.create', account: owner.id, before: {}, after: { name, environment } },
      () => store.keys.create({ account: owner.id, name, environment, expiresAt }),
    );
    return {
      data: { ...describe(key), key: key.text },
      text: key.text,
      note: 'This key is shown only now.',
    };
  },
};

const list: Command = {
  usage: 'key list --account ID|EMAIL',
  summary: 'Lists the keys of an account, without their text.',
  run: async ({ args, openStore }) => {
    const options = readOptions(args, { shape: { account } });
    const store = await openStore();
    const owner = await requireAccount(store, options.account);
    const keys = await store.keys.list(owner.id);
    return { data: { keys: keys.map(describe) }, text: keys.map(line).join('\n') };
  },
};

const revoke: Command = {
  usage: 'key revoke SHA256',
  summary:
    'Revokes a key at once. The first 8 characters of its SHA-256, which "key list" shows, are enough.',
  run: async ({ args, openStore }) => {
    const { id } = readOptions(args, {
      positionals: ['id'],
      shape: {
        id: z
          .string()
          .toLowerCase()
          .regex(/^[0-9a-f]{8,64}$/, 'must be the first 8 characters or more of a SHA-256'),
      },
    });
    const store = await openStore();
    const [found, another] = await store.keys.find(id);
    if (found === undefined) throw new CommandFailed('key_not_found', `there is no key ${id}`);
    if (another !== undefined) throw new CommandFailed('key_ambiguous', `several keys begin with ${id}`);
    const before = { key: keyIdOf(found.sha256), name: found.name };
    const entry = { action: 'key.revoke', account: found.account, before, after: {} } as const;
    const apply = () => store.keys.revoke(found.sha256);
    const revoked = found.revokedAt === null ? await loggedCommand(store, entry, apply) : found;
    if (revoked === undefined) throw new CommandFailed('key_not_found', `there is no key ${id}`);
    const propagated = await store.propagate(revoked.account);
    return {
      data: { ...describe(revoked), propagated },
      text: `${revoked.sha256} revoked`,
      ...(propagated ? {} : { note: notPropagated }),
    };
  },
};

export const keyCommands = { create, list, revoke } satisfies Record<string, Command>;

function describe(key: KeyListing) {
  return {
    id: key.sha256,
    account: key.account,
    name: key.name,
    environment: key.environment,
    first: key.first,
    last: key.last,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

function line(key: KeyListing): string {
  const state = key.revokedAt === null ? `expires ${key.expiresAt?.toISOString() ?? 'never'}` : 'revoked';
  return `${key.sha256.slice(0, 12)}  ${key.first}…${key.last}  ${key.environment}  ${key.name}  ${state}`;
}
