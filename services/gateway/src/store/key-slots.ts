import { SigcastError } from '@sigcast/contracts';
import { isInserted, storeCall } from '@sigcast/mongo';
import { maxLiveKeys } from '../domain/api-key.ts';
import type { KeyDocument, Models } from './models.ts';

/** Revoked and expired keys of an account that are kept: the newest ones. */
const keptDeadKeys = 100;

const hasSlot = { place: { $exists: true } } as const;

/**
 * Inserts a new key with a free slot (the field `place`). A unique index gives each slot of an account to one key, so that
 * the number of valid keys is bounded, however many are created at once. A crash leaves no slot taken without a key.
 * @throws {SigcastError} CONFLICT when all slots are taken.
 */
export async function insertKey(models: Models, key: KeyDocument): Promise<void> {
  const { account } = key;
  await freeExpired(models, account, key.created_at);
  // Before the insert: a failure after it would lose the text of the new key.
  await removeDeadKeys(models, key);
  for (let placed = false; !placed; ) {
    const place = await freeSlot(models, account);
    placed = await isInserted(() => storeCall(() => models.keys.create({ ...key, place })));
  }
}

/** @throws {SigcastError} CONFLICT when all slots of the account are taken at `now`. */
export async function requireSlot(models: Models, account: string, now: Date): Promise<void> {
  await freeExpired(models, account, now);
  await freeSlot(models, account);
}

async function freeExpired(models: Models, account: string, now: Date): Promise<void> {
  await storeCall(() =>
    models.keys
      .updateMany({ account, ...hasSlot, expires_at: { $lte: now } }, { $unset: { place: 1 } })
      .hint('places'),
  );
}

async function freeSlot(models: Models, account: string): Promise<number> {
  const holders = await storeCall(() =>
    models.keys
      .find({ account, ...hasSlot }, { place: 1 })
      .hint('places')
      .lean(),
  );
  const taken = new Set(holders.map(({ place }) => place));
  for (let place = 0; place < maxLiveKeys; place += 1) if (!taken.has(place)) return place;
  throw new SigcastError('CONFLICT', `An account can have ${maxLiveKeys} keys; revoke one first`);
}

/** Removes the oldest revoked and expired keys, except those whose last change is not propagated yet. */
async function removeDeadKeys(models: Models, { account, created_at: now }: KeyDocument): Promise<void> {
  const dead = {
    account,
    place: { $exists: false },
    pending: { $ne: true as const },
    $or: [{ revoked_at: { $ne: null } }, { expires_at: { $lte: now } }],
  };
  const oldest = await storeCall(() =>
    models.keys
      .find(dead, { _id: 1 })
      .sort({ created_at: -1, _id: -1 })
      .hint('by_account')
      .skip(keptDeadKeys)
      .lean(),
  );
  if (oldest.length === 0) return;
  await storeCall(() => models.keys.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } }));
}
