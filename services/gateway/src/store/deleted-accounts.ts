import { idBatches, storeCall } from '@sigcast/mongo';
import type { Models } from './models.ts';

/** Leaves out what is of deleted accounts: their data is removed once, and must not be written again after that. */
export async function withoutDeleted<T extends { readonly account: string }>(
  { accounts }: Pick<Models, 'accounts'>,
  batch: readonly T[],
): Promise<T[]> {
  const ids = new Set(batch.map(({ account }) => account));
  for (const some of idBatches([...ids])) {
    const deleted = await storeCall(() =>
      accounts.find({ _id: { $in: some }, status: 'deleted' }, { _id: 1 }).lean(),
    );
    for (const { _id } of deleted) ids.delete(_id);
  }
  return batch.filter(({ account }) => ids.has(account));
}
