import { storeCall } from '@sigcast/mongo';
import { type Account, normaliseEmail } from '../domain/accounts.ts';
import type { AccountFigures, OperatorReads } from '../domain/operator-reads.ts';
import { toAccount } from './accounts.ts';
import { type Models, toPlan } from './models.ts';
import { usageId } from './usage-log.ts';

/** The most plans and operators that are shown. */
const maxShown = 100;

/** What operators read of all accounts, in MongoDB: a page at a time, each by an index. */
export function mongoOperatorReads(
  { accounts, keys, plans, usage }: Pick<Models, 'accounts' | 'keys' | 'plans' | 'usage'>,
  clock: () => number,
): OperatorReads {
  const notDeleted = { status: { $ne: 'deleted' as const } };
  return {
    newest: ({ after, limit }) =>
      storeCall(async () => {
        const found = await accounts
          .find({ ...notDeleted, ...(after !== undefined && { _id: { $lt: after } }) })
          .sort({ _id: -1 })
          .limit(limit)
          .lean();
        return found.flatMap((document) => toAccount(document) ?? []);
      }),

    byEmail: ({ prefix, after, limit }) =>
      storeCall(async () => {
        const from = normaliseEmail(prefix);
        const range = { $gte: from, ...(after !== undefined && { $gt: after }), $lt: `${from}\uffff` };
        const found = await accounts
          .find({ email: range, ...notDeleted })
          .sort({ email: 1 })
          .hint('email_unique')
          .limit(limit)
          .lean();
        return found.flatMap((document) => toAccount(document) ?? []);
      }),

    figuresOf: (ids) =>
      storeCall(async () => {
        const nowMs = clock();
        const today = (id: string) => usageId(id, nowMs);
        const [days, live] = await Promise.all([
          usage.find({ _id: { $in: ids.map(today) } }).lean(),
          keys
            .find({ account: { $in: [...ids] }, revoked_at: null }, { account: 1, expires_at: 1 })
            .hint('by_account')
            .lean(),
        ]);
        const figures = new Map<string, AccountFigures>();
        for (const id of ids) {
          const hours = Object.values(days.find(({ _id }) => _id === today(id))?.hours ?? {});
          figures.set(id, {
            requests: hours.reduce((sum, { r = 0 }) => sum + r, 0),
            refused: hours.reduce((sum, { f = 0 }) => sum + f, 0),
            liveKeys: live.filter(
              ({ account, expires_at: end }) => account === id && (end === null || end.getTime() > nowMs),
            ).length,
          });
        }
        return figures;
      }),

    emailsOf: (ids) =>
      storeCall(async () => {
        const found = await accounts.find({ _id: { $in: [...ids] }, ...notDeleted }, { email: 1 }).lean();
        return new Map(found.map(({ _id, email }) => [_id, email]));
      }),

    plans: () =>
      storeCall(async () => {
        const found = await plans.find().sort({ _id: 1 }).limit(maxShown).lean();
        return found.map(toPlan);
      }),

    operators: () =>
      storeCall(async (): Promise<Account[]> => {
        const found = await accounts.find({ operator: true }).hint('operators').limit(maxShown).lean();
        return found.flatMap((document) => toAccount(document) ?? []);
      }),
  };
}
