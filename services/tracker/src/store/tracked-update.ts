import type { SignalStatus } from '@sigcast/contracts';
import type { Revision } from '../domain/revision.ts';

/** Statuses that never change again. */
const finalStatuses: readonly SignalStatus[] = ['dead', 'rugged'];

/**
 * The update of a signal's `tracked` document by some of its revisions: the fields of the highest revision win, and the
 * entry's liquidity is that of the lowest. One update, so that the poller never sees a part of it.
 *
 * @param revisions of one signal, at least one.
 * @param thinAt when their observations are to be thinned at the earliest; undefined where they are not to be.
 */
export function trackedUpdate(revisions: readonly Revision[], thinAt: Date | undefined): object[] {
  const [first] = revisions;
  if (first === undefined) throw new Error('there is no revision to update a signal with');
  const newest = revisions.reduce((one, other) => (other.rev > one.rev ? other : one), first);
  const oldest = revisions.reduce((one, other) => (other.rev < one.rev ? other : one), first);
  const isOldest = { $lt: [oldest.rev, { $ifNull: ['$oldest_rev', Number.MAX_SAFE_INTEGER] }] };
  const ifNewer = (field: string, value: unknown) => ({
    $cond: [{ $lt: [{ $ifNull: ['$rev', 0] }, newest.rev] }, { $literal: value }, `$${field}`],
  });
  return [
    {
      $set: {
        status: ifNewer('status', newest.status),
        contract: ifNewer('contract', newest.contract),
        mcap_entry: ifNewer('mcap_entry', newest.mcapEntry),
        mcap_ath: ifNewer('mcap_ath', newest.mcapAth),
        ath_hours: ifNewer('ath_hours', newest.athHours),
        created_at: ifNewer('created_at', newest.createdAt),
        liquidity_entry: { $cond: [isOldest, oldest.observation.liquidity, '$liquidity_entry'] },
        // A signal without `rev` is inserted by this update. Its market is asked at once.
        due_at: { $cond: [{ $eq: [{ $ifNull: ['$rev', 0] }, 0] }, '$$NOW', '$due_at'] },
        ...(thinAt && {
          thin_at: { $cond: [{ $lt: [thinAt, { $ifNull: ['$thin_at', farFuture] }] }, thinAt, '$thin_at'] },
        }),
      },
    },
    {
      $set: {
        rev: ifNewer('rev', newest.rev),
        oldest_rev: { $cond: [isOldest, oldest.rev, '$oldest_rev'] },
        // A final signal is not followed.
        ...Object.fromEntries(
          (['due_at', 'lease', 'alone', 'state', 'position', 'pending'] as const).map((field) => [
            field,
            { $cond: [isOneOf('$status', finalStatuses), '$$REMOVE', `$${field}`] },
          ]),
        ),
      },
    },
  ];
}

const farFuture = new Date(8.64e15);

function isOneOf(field: string, values: readonly string[]): object {
  return { $or: values.map((value) => ({ $eq: [field, value] })) };
}
