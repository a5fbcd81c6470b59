import { connectMongo, mongoFrom } from '@sigcast/mongo';
import { type BaseContext, type Command, readOptions } from '@sigcast/operator';
import { z } from 'zod';
import { readStoreConfig } from '../config.ts';
import { mongoRevokedTokens } from '../store/revoked-tokens.ts';
import { mongoUsedTokens } from '../store/used-tokens.ts';

const revoke: Command = {
  usage: 'tokens revoke ID',
  summary:
    'Revokes a service token for good, within a second. Its id is what "token create" of the gateway showed, what "tokens list" shows, and its claim "jti".',
  run: async (context) => {
    const { id } = readOptions(context.args, {
      positionals: ['id'],
      shape: { id: z.string().regex(/^tok_[0-9A-Z]{26}$/, 'must be the id of a service token, tok_…') },
    });
    const { revokedAt } = await (await open(context)).revoked.revoke(id, new Date());
    return { data: { id, revoked_at: revokedAt.toISOString() }, text: `${id} revoked` };
  },
};

const list: Command = {
  usage: 'tokens list',
  summary:
    'Lists the service tokens that were used or revoked: whose they are, for what, until when they are valid, and when they were used.',
  run: async (context) => {
    readOptions(context.args, { shape: {} });
    const { used, revoked } = await open(context);
    const [uses, revocations] = await Promise.all([used.list(), revoked.list()]);
    const ids = [...new Set([...uses, ...revocations].map(({ id }) => id))].sort();
    const tokens = ids.map((id) => {
      const use = uses.find((one) => one.id === id);
      return {
        id,
        subject: use?.subject ?? null,
        scopes: use?.scopes ?? null,
        expires_at: use?.expiresAt?.toISOString() ?? null,
        first_used_at: use?.firstUsedAt.toISOString() ?? null,
        last_used_at: use?.lastUsedAt.toISOString() ?? null,
        revoked_at: revocations.find((one) => one.id === id)?.revokedAt.toISOString() ?? null,
      };
    });
    const note = 'A token that nobody has used yet is not listed: only whoever made it knows its id.';
    return { data: { tokens }, text: tokens.map(lineOf).join('\n'), note };
  },
};

export const tokensCommands = { revoke, list } satisfies Record<string, Command>;

type ListedToken = {
  readonly id: string;
  readonly subject: string | null;
  readonly scopes: readonly string[] | null;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
};

function lineOf({ id, subject, scopes, revoked_at: revokedAt, ...times }: ListedToken): string {
  const used = [
    subject,
    scopes?.join(' '),
    `last used ${times.last_used_at}`,
    `valid until ${times.expires_at}`,
  ];
  const use = subject === null ? ['never used'] : used;
  return [id, ...use, ...(revokedAt === null ? [] : [`revoked ${revokedAt}`])].join('  ');
}

async function open({ env, log, resources }: BaseContext) {
  const connection = await connectMongo(mongoFrom(readStoreConfig(env)), log, resources);
  return { revoked: mongoRevokedTokens(connection), used: mongoUsedTokens(connection) };
}
