import { storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import type { OperatorLog } from '../domain/operator-log.ts';
import type { Models } from './models.ts';

/** The operator log in MongoDB. Ids sort by time. */
export function mongoOperatorLog({ operatorLog }: Pick<Models, 'operatorLog'>): OperatorLog {
  return {
    add: ({ actor, action, account, before, after }) =>
      storeCall(async () => {
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
      }),

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
