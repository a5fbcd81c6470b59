import { connectMongo, mongoFrom } from '@sigcast/mongo';
import { type BaseContext, type Command, readOptions } from '@sigcast/operator';
import { z } from 'zod';
import { readStoreConfig } from '../config.ts';
import { mongoRevokedTokens, type RevokedTokens } from '../store/revoked-tokens.ts';

const revoke: Command = {
  usage: 'tokens revoke ID',
  summary:
    'Revokes a service token for good, within two seconds. Its id is what "token create" of the gateway showed, and its claim "jti".',
  run: async (context) => {
    const { id } = readOptions(context.args, {
      positionals: ['id'],
      shape: { id: z.string().regex(/^tok_[0-9A-Z]{26}$/, 'must be the id of a service token, tok_…') },
    });
    const { revokedAt } = await (await open(context)).revoke(id, new Date());
    return { data: { id, revoked_at: revokedAt.toISOString() }, text: `${id} revoked` };
  },
};

const list: Command = {
  usage: 'tokens list',
  summary: 'Lists the service tokens that are revoked.',
  run: async (context) => {
    readOptions(context.args, { shape: {} });
    const tokens = await (await open(context)).list();
    const shown = tokens.map(({ id, revokedAt }) => ({ id, revoked_at: revokedAt.toISOString() }));
    return {
      data: { tokens: shown },
      text: shown.map(({ id, revoked_at: at }) => `${id}  revoked ${at}`).join('\n'),
    };
  },
};

export const tokensCommands = { revoke, list } satisfies Record<string, Command>;

async function open({ env, log, resources }: BaseContext): Promise<RevokedTokens> {
  return mongoRevokedTokens(await connectMongo(mongoFrom(readStoreConfig(env)), log, resources));
}
