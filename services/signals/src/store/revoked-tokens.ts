import { storeCall } from '@sigcast/mongo';
import { type Logger, type Resources, repeat, waitAtMost } from '@sigcast/runtime';
import { type Connection, Schema } from 'mongoose';

/** How often a process reads which tokens are revoked, in milliseconds: a revocation holds within about this time. */
const readEveryMs = 800;
/** How long a store that says nothing is waited for, in milliseconds. */
const readTimeoutMs = 10_000;

type RevokedTokenDocument = { _id: string; revoked_at: Date };

/** Kept for good: operators revoke few tokens, and the id of a token does not say when the token expires. */
const schema = new Schema<RevokedTokenDocument>(
  { _id: { type: String, required: true }, revoked_at: { type: Date, required: true } },
  { collection: 'revoked_tokens', versionKey: false, strict: 'throw' },
);

type RevokedToken = { readonly id: string; readonly revokedAt: Date };

/** The service tokens that operators have revoked, by their ids (`jti`). */
export type RevokedTokens = {
  /** Revokes a token for good. @returns the token with the time when it was first revoked. */
  revoke(id: string, now: Date): Promise<RevokedToken>;
  list(): Promise<RevokedToken[]>;
};

export function mongoRevokedTokens(connection: Connection): RevokedTokens {
  const model = connection.model<RevokedTokenDocument>('RevokedToken', schema);
  const toToken = ({ _id: id, revoked_at: revokedAt }: RevokedTokenDocument) => ({ id, revokedAt });
  return {
    revoke: (id, now) =>
      storeCall(async () => {
        const first = { $setOnInsert: { revoked_at: now } };
        const options = { upsert: true, returnDocument: 'after' } as const;
        return toToken(await model.findOneAndUpdate({ _id: id }, first, options).lean().orFail());
      }),
    list: () => storeCall(async () => (await model.find().sort({ _id: 1 }).lean()).map(toToken)),
  };
}

/**
 * Keeps the revoked ids in memory, so that requests don't wait for the store. While the store is away, the last ids that
 * were read stay in force.
 * @throws when the store does not answer the first time: no request may be served before.
 */
export async function followRevokedTokens(
  tokens: Pick<RevokedTokens, 'list'>,
  log: Logger,
  resources: Resources,
  { everyMs, timeoutMs } = { everyMs: readEveryMs, timeoutMs: readTimeoutMs },
): Promise<(id: string) => boolean> {
  const read = async () => {
    const list = await waitAtMost(timeoutMs, tokens.list());
    if (list === undefined) throw new Error(`the store did not answer within ${timeoutMs} ms`);
    return new Set(list.map(({ id }) => id));
  };
  let revoked = await read();
  const refresh = async () => {
    revoked = await read();
  };
  const problem = 'the list of revoked service tokens could not be read; the last one stays in force';
  repeat(refresh, { problem, everyMs, log }, resources);
  return (id) => revoked.has(id);
}
