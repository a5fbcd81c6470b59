import { storeCall } from '@sigcast/mongo';
import { type Logger, type Resources, writeRegularly } from '@sigcast/runtime';
import { type Connection, Schema } from 'mongoose';

/** Between two writes of what was noted, in milliseconds. */
const writeEveryMs = 1_000;
/** The last use of a token is written at most this often by each process. */
const granularityMs = 60_000;

type UsedTokenDocument = {
  _id: string;
  subject: string;
  scopes: string[];
  expires_at: Date;
  first_used_at: Date;
  last_used_at: Date;
};

/** Kept for good, as revocations are. Never the token itself. */
const schema = new Schema<UsedTokenDocument>(
  {
    _id: { type: String, required: true },
    subject: { type: String, required: true },
    scopes: { type: [String], required: true },
    expires_at: { type: Date, required: true },
    first_used_at: { type: Date, required: true },
    last_used_at: { type: Date, required: true },
  },
  { collection: 'service_tokens', versionKey: false, strict: 'throw' },
);

/** A service token that was used: its id (`jti`), whose it is, and for what. Uses are exact to about a minute. */
export type UsedToken = {
  readonly id: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  /** Undefined where its document does not say. */
  readonly expiresAt: Date | undefined;
  readonly firstUsedAt: Date;
  readonly lastUsedAt: Date;
};

type TokenUse = Omit<UsedToken, 'firstUsedAt'>;

/** The service tokens that were used, by their ids. One that nobody has used yet is known only to whoever made it. */
export type UsedTokens = {
  note(uses: readonly TokenUse[]): Promise<void>;
  list(): Promise<UsedToken[]>;
};

export function mongoUsedTokens(connection: Connection): UsedTokens {
  const model = connection.model<UsedTokenDocument>('UsedToken', schema);
  return {
    note: async (uses) => {
      await storeCall(() =>
        model.bulkWrite(
          uses.map(({ id, subject, scopes, expiresAt, lastUsedAt }) => ({
            updateOne: {
              filter: { _id: id },
              update: {
                $set: { subject, scopes: [...scopes], expires_at: expiresAt },
                $min: { first_used_at: lastUsedAt },
                $max: { last_used_at: lastUsedAt },
              },
              upsert: true,
            },
          })),
          { ordered: false },
        ),
      );
    },
    list: () =>
      storeCall(async () =>
        (await model.find().sort({ _id: 1 }).lean()).map(({ _id: id, subject, scopes, ...times }) => ({
          id,
          subject,
          scopes,
          expiresAt: times.expires_at,
          firstUsedAt: times.first_used_at,
          lastUsedAt: times.last_used_at,
        })),
      ),
  };
}

/**
 * Writes down which tokens are used, never on the path of a request, and once more when `resources` are released.
 * @returns a function that notes a use, and returns at once.
 */
export function noteUsedTokens(
  tokens: Pick<UsedTokens, 'note'>,
  log: Logger,
  resources: Resources,
): (token: Omit<TokenUse, 'lastUsedAt'>) => void {
  const noted = new Map<string, TokenUse>();
  const writtenAtMs = new Map<string, number>();
  const write = async () => {
    const batch = [...noted.values()];
    if (batch.length === 0) return;
    await tokens.note(batch);
    for (const use of batch) {
      writtenAtMs.set(use.id, use.lastUsedAt.getTime());
      if (noted.get(use.id) === use) noted.delete(use.id);
    }
  };
  const problem = 'which service tokens are used could not be written yet';
  writeRegularly(write, { problem, everyMs: writeEveryMs, log }, resources);
  return (token) => {
    const { id } = token;
    const nowMs = Date.now();
    const isFresh = nowMs - (writtenAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < granularityMs;
    if (!isFresh && !noted.has(id)) noted.set(id, { ...token, lastUsedAt: new Date(nowMs) });
  };
}
