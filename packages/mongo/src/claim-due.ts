import type { mongo } from 'mongoose';
import { dueBy } from './due-by.ts';

/** How many due documents are looked at: while other processes claim the first ones, one is left for this process. */
const lookedAt = 5;

/**
 * Claims the document that has been due for longest, of those whose field `due`, with the index `hint`, is `now` or earlier:
 * sets the field to `until`, when the lease ends, and makes `change`. Writes under the lease name in their filter what the
 * claim has set, and may renew or end the lease.
 *
 * @returns the document as it is then; undefined where none is due.
 */
export async function claimDue<T extends { _id: string }>(
  collection: mongo.Collection<T>,
  {
    due,
    hint,
    now,
    until,
  }: { readonly due: string; readonly hint: string; readonly now: Date; readonly until: Date },
  change: mongo.UpdateFilter<T> = {},
): Promise<mongo.WithId<T> | undefined> {
  const isDue = { [due]: dueBy(now) } as mongo.Filter<T>;
  const update = { ...change, $set: { ...change.$set, [due]: until } } as mongo.UpdateFilter<T>;
  const found = collection.find(isDue, { projection: { _id: 1 } }).sort({ [due]: 1 });
  for (const { _id } of await found.limit(lookedAt).hint(hint).toArray()) {
    const claimed = await collection.findOneAndUpdate({ ...isDue, _id }, update, { returnDocument: 'after' });
    if (claimed) return claimed;
  }
  return undefined;
}
