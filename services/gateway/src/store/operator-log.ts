import { storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import { type AuditLog, auditActionOf } from '../domain/audit.ts';
import type { OperatorLog } from '../domain/operator-log.ts';
import type { Models } from './models.ts';

/** The operator log in MongoDB. Ids sort by time. What is done to an account is in that account's audit log, too. */
export function mongoOperatorLog(
  { operatorLog }: Pick<Models, 'operatorLog'>,
  audit: Pick<AuditLog, 'add'>,
): OperatorLog {
  return {
    add: async ({ actor, action, account, before, after }) => {
      await storeCall(async () => {
        const at = new Date();
        await operatorLog.create({
          _id: newId('op', at.getTime()),
          at,
          by: actor,
          action,
          account,
          before,
          after,
        });
      });
      const audited = auditActionOf[action];
      if (account === null || audited === undefined) return;
      const target = before.key ?? after.plan;
      await audit.add({
        account,
        actor: { kind: 'operator' },
        action: audited,
        ...(target !== undefined && { target: String(target) }),
      });
    },

    list: ({ account, after, limit }) =>
      storeCall(async () => {
        const found = await operatorLog
          .find({
            ...(account !== undefined && { account }),
            ...(after !== undefined && { _id: { $lt: after } }),
          })
          .sort(account === undefined ? { _id: -1 } : { account: 1, _id: -1 })
          .hint(account === undefined ? '_id_' : 'by_account')
          .limit(limit)
          .lean();
        return found.map(({ _id, at, by, action, account: of, before, after: since }) => ({
          id: _id,
          at,
          actor: by,
          action,
          account: of,
          before,
          after: since,
        }));
      }),
  };
}
