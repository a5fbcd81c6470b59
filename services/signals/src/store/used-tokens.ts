import { storeCall } from '@sigcast/mongo';
import { keepDoing, type Logger, type Resources } from '@sigcast/runtime';
import { type Connection, Schema } from 'mongoose';

/** Between two writes of what was noted, in milliseconds. */
const writeEveryMs = 1_000;
/** The last use of a token is written at most this often by each process. */
const granularityMs = 60_000;

type UsedTokenDocument = {
  _id: string;
  subject: string;
  scopes: string[];
  first_used_at: Date;
  last_used_at: Date;
};

/** Kept for good, as revocations are. Never the token itself. */
const schema = new Schema<UsedTokenDocument>(
  {
    _id: { type: String, required: true },
    subject: { type: String, required: true },
    scopes: { type: [String], required: true },
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
  readonly firstUsedAt: Date;
  readonly lastUsedAt: Date;
};

type TokenUse = Omit<UsedToken, 'firstUsedAt'>;

/** The service tokens that were used, by their ids: all that anybody can still present, unless it was never used. */
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
          uses.map(({ id, subject, scopes, lastUsedAt }) => ({
            updateOne: {
              filter: { _id: id },
              update: {
                $set: { subject, scopes: [...scopes] },
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
        (await model.find().sort({ _id: 1 }).lean()).map(
          ({ _id: id, subject, scopes, first_used_at: firstUsedAt, last_used_at: lastUsedAt }) => ({
            id,
            subject,
            scopes,
            firstUsedAt,
            lastUsedAt,
          }),
        ),
      ),
  };
}

/**
 * Writes down which tokens are used, never on the path of a request.
 * @returns a function that notes a use, and returns at once.
 */
export function noteUsedTokens(
  tokens: Pick<UsedTokens, 'note'>,
  log: Logger,
  resources: Resources,
): (token: Pick<UsedToken, 'id' | 'subject' | 'scopes'>) => void {
  const noted = new Map<string, TokenUse>();
  const writtenAtMs = new Map<string, number>();
  keepDoing(async () => {
    const batch = [...noted.values()];
    if (batch.length === 0) return writeEveryMs;
    try {
      await tokens.note(batch);
      for (const use of batch) {
        writtenAtMs.set(use.id, use.lastUsedAt.getTime());
        if (noted.get(use.id) === use) noted.delete(use.id);
      }
    } catch (err) {
      log.warn({ err }, 'which service tokens are used could not be written yet');
    }
    return writeEveryMs;
  }, resources);
  return ({ id, subject, scopes }) => {
    const nowMs = Date.now();
    const isFresh = nowMs - (writtenAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < granularityMs;
    if (!isFresh && !noted.has(id)) noted.set(id, { id, subject, scopes, lastUsedAt: new Date(nowMs) });
  };
}
