import { contractKey, nextStatuses, signalStatuses, symbolKey } from '@sigcast/contracts';
import type { KnownRevision } from '../domain/revision.ts';
import { knownDay } from './tracked-document.ts';

/** Statuses that never change again. */
const finalStatuses = signalStatuses.filter((status) => nextStatuses[status].length === 0);

/**
 * The update of a signal's `tracked` document by some of its revisions: the fields of the highest revision win, and the
 * liquidity of the lowest. Of the fields that say since when something was known, the earliest instant wins. It is a single
 * update, so that nobody reads half of it.
 *
 * @param revisions of one signal, at least one.
 * @param thinAt when their observations are to be thinned at the earliest; undefined where they are not to be.
 */
export function trackedUpdate(revisions: readonly KnownRevision[], thinAt: Date | undefined): object[] {
  const [first] = revisions;
  if (first === undefined) throw new Error('there is no revision to update a signal with');
  const newest = revisions.reduce((one, other) => (other.rev > one.rev ? other : one), first);
  const oldest = revisions.reduce((one, other) => (other.rev < one.rev ? other : one), first);
  const isOldest = { $lt: [oldest.rev, { $ifNull: ['$oldest_rev', Number.MAX_SAFE_INTEGER] }] };
  const ifNewer = (field: string, value: unknown) => ({
    $cond: [{ $lt: [{ $ifNull: ['$rev', 0] }, newest.rev] }, { $literal: value }, `$${field}`],
  });
  const once = (field: string, value: unknown) => ({ $ifNull: [`$${field}`, { $literal: value }] });
  const { token, type, isPremium } = newest;
  return [
    {
      $set: {
        token: once('token', token),
        symbol_key: once('symbol_key', symbolKey(token.symbol)),
        type: once('type', type),
        is_premium: once('is_premium', isPremium),
        ...whenKnown(revisions),
        status: ifNewer('status', newest.status),
        contract: once('contract', token.contract),
        contract_key: once('contract_key', contractKey(token.contract)),
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
          (
            [
              'due_at',
              'lease',
              'most_tokens',
              'state',
              'position',
              'seen',
              'refresh_at',
              'holders',
              'pending',
            ] as const
          ).map((field) => [field, { $cond: [isOneOf('$status', finalStatuses), '$$REMOVE', `$${field}`] }]),
        ),
      },
    },
  ];
}

/** The fields that say since when the tracker knows the signal, each status and each revision. */
function whenKnown(revisions: readonly KnownRevision[]): Record<string, object> {
  const first = (field: string, those: readonly KnownRevision[]) => {
    const at = new Date(Math.min(...those.map(({ knownAt }) => knownAt.getTime())));
    return [field, { $min: [{ $ifNull: [`$${field}`, at] }, at] }] as const;
  };
  const highest = (field: string, those: readonly KnownRevision[]) => {
    const rev = Math.max(...those.map((each) => each.rev));
    return [field, { $max: [{ $ifNull: [`$${field}`, 0] }, rev] }] as const;
  };
  const byStatus = Map.groupBy(revisions, ({ status }) => status);
  byStatus.delete('active');
  const fields: (readonly [string, object])[] = [
    first('known_at', revisions),
    ...[...byStatus].map(([status, those]) => first(`status_known_at.${status}`, those)),
    ...[...Map.groupBy(revisions, ({ knownAt }) => knownDay(knownAt))].map(([day, those]) =>
      highest(`revs_known.${day}`, those),
    ),
  ];
  return Object.fromEntries(fields);
}

const farFuture = new Date(8.64e15);

function isOneOf(field: string, values: readonly string[]): object {
  return { $or: values.map((value) => ({ $eq: [field, value] })) };
}
