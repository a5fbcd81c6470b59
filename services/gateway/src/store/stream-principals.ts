import { restrictionOf } from '../domain/restrictions.ts';
import type { StreamPrincipal, StreamPrincipals } from '../domain/stream-principal.ts';
import { restrictionFields, restrictionsOf } from './key-restrictions.ts';
import type { LookUps } from './look-ups.ts';
import { memberId } from './members.ts';
import type { Models } from './models.ts';
import { sessionHasPassword } from './sessions.ts';

/**
 * Looks up principals in MongoDB in one batch: at most five queries by id, however many principals there are. Reads the
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
      const people = new Set(
        principals.flatMap((principal) => ('sessionId' in principal ? [principal.person] : [])),
      );
      const others = principals.flatMap(({ account }) => (people.has(account) ? [] : [account]));
      const memberships = principals.flatMap((principal) =>
        isMembership(principal) ? [memberId(principal.account, principal.person)] : [],
      );
      const [keys, sessions, holders, accounts, members] = await lookUps.ask(() =>
        Promise.all([
          byIds(keyIds, (ids) =>
            models.keys
              .find({ _id: ids }, { account: 1, revoked_at: 1, expires_at: 1, ...restrictionFields })
              .lean(),
          ),
          byIds(sessionIds, (ids) =>
            models.sessions.find({ _id: ids }, { account: 1, expires_at: 1, password_sha256: 1 }).lean(),
          ),
          byIds([...people], (ids) =>
            models.accounts.find({ _id: ids }, { status: 1, password_hash: 1 }).lean(),
          ),
          byIds(others, (ids) => models.accounts.find({ _id: ids }, { status: 1 }).lean()),
          byIds(memberships, (ids) => models.members.find({ _id: ids }, { _id: 1 }).lean()),
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
        if (session === undefined || session.account !== principal.person) return 0;
        if (isMembership(principal) && !members.has(memberId(principal.account, principal.person))) return 0;
        const person = holders.get(principal.person);
        const isOpen = person?.status === 'active' && sessionHasPassword(session, person.password_hash);
        return isOpen ? session.expires_at.getTime() : 0;
      };
      return principals.map(untilMs);
    },
  };
}

/** Whether a person acts for an account of somebody else. */
function isMembership(
  principal: StreamPrincipal,
): principal is Extract<StreamPrincipal, { readonly person: string }> {
  return 'person' in principal && principal.person !== principal.account;
}

async function byIds<T extends { _id: string }>(
  ids: readonly string[],
  find: (ids: { $in: string[] }) => PromiseLike<readonly T[]>,
): Promise<ReadonlyMap<string, T>> {
  if (ids.length === 0) return new Map();
  const found = await find({ $in: [...new Set(ids)] });
  return new Map(found.map((document) => [document._id, document]));
}
