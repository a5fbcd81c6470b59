import { restrictionOf } from '../domain/restrictions.ts';
import type { StreamPrincipal, StreamPrincipals } from '../domain/stream-principal.ts';
import { restrictionFields, restrictionsOf } from './key-restrictions.ts';
import type { LookUps } from './look-ups.ts';
import type { Models } from './models.ts';
import { sessionHasPassword } from './sessions.ts';

/**
 * Looks up principals in MongoDB in one batch: at most four queries by id, however many principals there are. Reads the
 * password's hash only of accounts with a session among the principals.
 */
export function mongoStreamPrincipals(models: Models, lookUps: LookUps): StreamPrincipals {
  return {
    async validUntilMs(principals) {
      const keyIds = principals.flatMap((principal) =>
        'keySha256' in principal ? [principal.keySha256] : [],
      );
      const sessionIds = principals.flatMap((principal) =>
        'sessionId' in principal ? [principal.sessionId] : [],
      );
      const withSession = new Set(
        principals.flatMap((principal) => ('sessionId' in principal ? [principal.account] : [])),
      );
      const onlyKeys = principals.flatMap(({ account }) => (withSession.has(account) ? [] : [account]));
      const [keys, sessions, holders, accounts] = await lookUps.ask(() =>
        Promise.all([
          byIds(keyIds, (ids) =>
            models.keys
              .find({ _id: ids }, { account: 1, revoked_at: 1, expires_at: 1, ...restrictionFields })
              .lean(),
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
      const untilMs = (principal: StreamPrincipal): number | undefined => {
        const account = holders.get(principal.account) ?? accounts.get(principal.account);
        if (account?.status !== 'active') return 0;
        if ('keySha256' in principal) {
          const key = keys.get(principal.keySha256);
          if (key === undefined || key.account !== principal.account || key.revoked_at !== null) return 0;
          const asked = { account: principal.account, sha256: principal.keySha256 };
          if (restrictionOf(restrictionsOf(key), principal.use, asked) !== undefined) return 0;
          return key.expires_at?.getTime();
        }
        const session = sessions.get(principal.sessionId);
        if (session === undefined || session.account !== principal.account) return 0;
        const holder = holders.get(principal.account);
        return holder && sessionHasPassword(session, holder.password_hash) ? session.expires_at.getTime() : 0;
      };
      return principals.map(untilMs);
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
