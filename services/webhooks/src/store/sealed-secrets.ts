import { storeCall } from '@sigcast/mongo';
import type { Sealer } from '@sigcast/runtime';
import type { DeletedSubscriptionDocument, SubscriptionDocument } from './documents.ts';
import type { Models } from './models.ts';

/** The most documents that are read at once. */
const page = 500;

/** Documents with a secret whose sealed text meets this. */
function withSecret(sealed: object) {
  return {
    $or: [
      { secret: { $exists: true, ...sealed } },
      { retired_secrets: { $elemMatch: { secret: sealed } } },
      { 'idempotency.secret': { $exists: true, ...sealed } },
    ],
  };
}

const startsWith = (...prefixes: readonly string[]) =>
  new RegExp(`^(?:${prefixes.map((prefix) => prefix.replace('.', '\\.')).join('|')})`);

/** Documents with a secret that was sealed by none of the keys with these prefixes. */
const sealedByOthers = (prefixes: readonly string[]) => withSecret({ $not: startsWith(...prefixes) });

type Sealed = Pick<SubscriptionDocument, '_id' | 'retired_secrets' | 'idempotency'> & {
  readonly secret?: string;
};

/**
 * Opens a secret of each key, in both collections: a wrong key may have the version of the right one.
 * @throws {Error} when the store has a secret that no key opens: what it signs could not be sent.
 */
export async function requireOpenableSecrets(
  { subscriptions, deletedSubscriptions }: Models,
  { prefixes, open }: Pick<Sealer, 'prefixes' | 'open'>,
): Promise<void> {
  for (const { collection } of [subscriptions, deletedSubscriptions]) {
    const projection = { secret: 1, retired_secrets: 1, idempotency: 1 };
    const find = (filter: object) => storeCall(() => collection.findOne<Sealed>(filter, { projection }));
    const other = await find(sealedByOthers(prefixes));
    if (other) throw notOpenable(other);
    for (const prefix of prefixes) {
      const one = await find(withSecret({ $regex: startsWith(prefix) }));
      if (!one) continue;
      const { _id, secret, retired_secrets: retired = [], idempotency } = one;
      const texts = [secret, ...retired.map((each) => each.secret), idempotency?.secret];
      try {
        open(texts.find((text) => text?.startsWith(prefix)) ?? '', _id);
      } catch (cause) {
        throw notOpenable(one, cause);
      }
    }
  }
}

function notOpenable({ _id }: Sealed, cause?: unknown): Error {
  return new Error(
    `no key of WEBHOOK_SEAL_KEYS opens the secret of ${_id}: give the key that sealed it as well`,
    { cause },
  );
}

/**
 * Seals every secret by the newest key that was sealed by an older one, while the service goes on.
 * @returns how many documents were changed.
 */
export async function resealSecrets(
  { subscriptions, deletedSubscriptions }: Models,
  { open, seal, newestPrefix }: Sealer,
): Promise<number> {
  const again = (sealed: string, of: string) => seal(open(sealed, of), of);
  const older = sealedByOthers([newestPrefix]);

  const resealed = async ({ _id, secret, retired_secrets: retired = [] }: SubscriptionDocument) => {
    // A rotation, which replaces all of them, may come between.
    await subscriptions.updateOne(
      { _id, secret },
      {
        $set: {
          secret: again(secret, _id),
          retired_secrets: retired.map((one) => ({ secret: again(one.secret, _id), until: one.until })),
        },
      },
    );
  };
  const resealedKey = async (
    collection: Models['subscriptions'] | Models['deletedSubscriptions'],
    { _id, idempotency }: SubscriptionDocument | DeletedSubscriptionDocument,
  ) => {
    if (!idempotency) return;
    const { secret } = idempotency;
    // The key may be released meanwhile.
    const change = [
      { _id, 'idempotency.secret': secret },
      { $set: { 'idempotency.secret': again(secret, _id) } },
    ] as const;
    if (collection === subscriptions) await subscriptions.updateOne(...change);
    else await deletedSubscriptions.updateOne(...change);
  };

  let changed = 0;
  for (;;) {
    const living = await subscriptions.find(older).limit(page).lean();
    const deleted = await deletedSubscriptions.find(older).limit(page).lean();
    for (const one of living) {
      await resealed(one);
      await resealedKey(subscriptions, one);
    }
    for (const one of deleted) await resealedKey(deletedSubscriptions, one);
    if (living.length + deleted.length === 0) return changed;
    changed += living.length + deleted.length;
  }
}
