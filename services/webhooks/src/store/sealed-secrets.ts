import { requireOpenable, reseal, type SealedDocuments } from '@sigcast/mongo';
import type { Sealer } from '@sigcast/runtime';
import type { DeletedSubscriptionDocument, SubscriptionDocument } from './documents.ts';
import type { Models } from './models.ts';

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

function livingSecrets({ subscriptions }: Models): SealedDocuments<SubscriptionDocument> {
  return {
    collection: subscriptions.collection,
    having: withSecret,
    textsOf: ({ secret, retired_secrets: retired = [], idempotency }) => [
      secret,
      ...retired.map((each) => each.secret),
      idempotency?.secret,
    ],
    replace: async ({ _id, secret, retired_secrets: retired = [], idempotency }, again) => {
      // A rotation, which replaces all of them, may come between.
      await subscriptions.updateOne(
        { _id, secret },
        {
          $set: {
            secret: again(secret),
            retired_secrets: retired.map((one) => ({ secret: again(one.secret), until: one.until })),
          },
        },
      );
      if (!idempotency) return;
      // The key may be released meanwhile.
      await subscriptions.updateOne(
        { _id, 'idempotency.secret': idempotency.secret },
        { $set: { 'idempotency.secret': again(idempotency.secret) } },
      );
    },
  };
}

function deletedSecrets({ deletedSubscriptions }: Models): SealedDocuments<DeletedSubscriptionDocument> {
  return {
    collection: deletedSubscriptions.collection,
    having: withSecret,
    textsOf: ({ idempotency }) => [idempotency?.secret],
    replace: async ({ _id, idempotency }, again) => {
      if (!idempotency) return;
      await deletedSubscriptions.updateOne(
        { _id, 'idempotency.secret': idempotency.secret },
        { $set: { 'idempotency.secret': again(idempotency.secret) } },
      );
    },
  };
}

/**
 * Opens a secret of each key, in both collections.
 * @throws {Error} when the store has a secret that no key opens: what it signs could not be sent.
 */
export async function requireOpenableSecrets(
  models: Models,
  secrets: Pick<Sealer, 'prefixes' | 'open'>,
): Promise<void> {
  await requireOpenable(livingSecrets(models), secrets, 'WEBHOOK_SEAL_KEYS');
  await requireOpenable(deletedSecrets(models), secrets, 'WEBHOOK_SEAL_KEYS');
}

/**
 * Seals every secret by the newest key that was sealed by an older one, while the service goes on.
 * @returns how many documents were changed.
 */
export async function resealSecrets(models: Models, secrets: Sealer): Promise<number> {
  return (await reseal(livingSecrets(models), secrets)) + (await reseal(deletedSecrets(models), secrets));
}
