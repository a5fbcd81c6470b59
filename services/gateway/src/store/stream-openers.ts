import type { StreamOpener, StreamOpeners } from '../domain/stream-opener.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { Models } from './models.ts';
import { sessionHasPassword } from './sessions.ts';

/**
 * Those who have streams open, looked up in MongoDB in one batch: up to four queries by id, however many they are. The
 * password's hash is read only of accounts that have sessions among them.
 */
export function mongoStreamOpeners(models: Models, breaker: CircuitBreaker): StreamOpeners {
  return {
    async goodUntilMs(openers) {
      const keyIds = openers.flatMap((opener) => ('keySha256' in opener ? [opener.keySha256] : []));
      const sessionIds = openers.flatMap((opener) => ('sessionId' in opener ? [opener.sessionId] : []));
      const withSession = new Set(
        openers.flatMap((opener) => ('sessionId' in opener ? [opener.account] : [])),
      );
      const onlyKeys = openers.flatMap(({ account }) => (withSession.has(account) ? [] : [account]));
      const [keys, sessions, holders, accounts] = await breaker.ask(() =>
        Promise.all([
          byIds(keyIds, (ids) =>
            models.keys.find({ _id: ids }, { account: 1, revoked_at: 1, expires_at: 1 }).lean(),
          ),
          byIds(sessionIds, (ids) =>
            models.sessions.find({ _id: ids }, { account: 1, expires_at: 1, password_sha256: 1 }).lean(),
          ),
          byIds([...withSession], (ids) =>
            models.accounts.find({ _id: ids }, { status: 1, password_hash: 1 }).lean(),
          ),
          byIds(onlyKeys, (ids) => models.accounts.find({ _id: ids }, { status: 1 }).lean()),
        ]),
      );
      const untilMs = (opener: StreamOpener): number | undefined => {
        const account = holders.get(opener.account) ?? accounts.get(opener.account);
        if (account?.status !== 'active') return 0;
        if ('keySha256' in opener) {
          const key = keys.get(opener.keySha256);
          if (key === undefined || key.account !== opener.account || key.revoked_at !== null) return 0;
          return key.expires_at?.getTime();
        }
        const session = sessions.get(opener.sessionId);
        if (session === undefined || session.account !== opener.account) return 0;
        const holder = holders.get(opener.account);
        return holder && sessionHasPassword(session, holder.password_hash) ? session.expires_at.getTime() : 0;
      };
      return openers.map(untilMs);
    },
  };
}

async function byIds<T extends { _id: string }>(
  ids: readonly string[],
  find: (ids: { $in: string[] }) => PromiseLike<readonly T[]>,
): Promise<ReadonlyMap<string, T>> {
  if (ids.length === 0) return new Map();
  const found = await find({ $in: [...new Set(ids)] });
  return new Map(found.map((document) => [document._id, document]));
}
