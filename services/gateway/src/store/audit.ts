import { storeCall } from '@sigcast/mongo';
import { newId } from '@sigcast/runtime';
import type { AuditLog, StoredAuditEntry } from '../domain/audit.ts';
import { type AuditDocument, auditIndexNames, type Models } from './models.ts';

/** The audit log in MongoDB. Ids sort by time. */
export function mongoAuditLog({ audit }: Pick<Models, 'audit'>, clock: () => number): AuditLog {
  return {
    add: ({ account, actor, action, target, origin }) =>
      storeCall(async () => {
        const at = new Date(clock());
        const { _id } = await audit.create({
          _id: newId('aud', at.getTime()),
          at,
          account,
          action,
          by: actor.kind,
          ...('id' in actor && { by_id: actor.id }),
          ...(target !== undefined && { target }),
          ...(origin?.address != null && { address: origin.address }),
          ...(origin?.userAgent != null && { user_agent: origin.userAgent }),
        });
        return _id;
      }),

    withdraw: async (id) => {
      await audit.deleteOne({ _id: id }).catch(() => undefined);
    },

    list: (account, { action, since, before, limit }) =>
      storeCall(async () => {
        const range = {
          ...(since !== undefined && { $gt: endOf(since) }),
          ...(before !== undefined && { $lt: before }),
        };
        const found = await audit
          .find({
            account,
            ...(action !== undefined && { action }),
            ...((since ?? before) !== undefined && { _id: range }),
          })
          .sort(action === undefined ? { account: 1, _id: -1 } : { account: 1, action: 1, _id: -1 })
          .hint(action === undefined ? auditIndexNames.byAccount : auditIndexNames.byAction)
          .limit(limit)
          .lean();
        return found.map(toEntry);
      }),
  };
}

/** What sorts behind all ids of this millisecond, and before those of the next one. */
function endOf(at: Date): string {
  const timeEnds = 'aud_'.length + 10;
  return `${newId('aud', at.getTime()).slice(0, timeEnds)}~`;
}

function toEntry(document: AuditDocument): StoredAuditEntry {
  const { _id: id, at, account, action, by, by_id, target, address, user_agent } = document;
  const actor = by === 'holder' || by === 'key' ? { kind: by, id: by_id ?? '' } : { kind: by };
  const origin = { address: address ?? null, userAgent: user_agent ?? null };
  return { id, at, account, actor, action, target, origin };
}
