import { SigcastError, type UpdateWebhook } from '@sigcast/contracts';
import { destinationOf, telegramChatOf } from './destination.ts';
import { maxRetiredSecrets, newSecret, rotated, type SecretSealer } from './signing-secrets.ts';
import {
  requireOrdered,
  type Subscription,
  type SubscriptionChanges,
  type SubscriptionStore,
} from './subscription.ts';

/** Tries of a compare-and-set. Of several writers at once one always succeeds, so many failures in a row are a bug. */
const maxTries = 10;

export type ChangeDeps = {
  readonly subscriptions: SubscriptionStore;
  /** What is wrong with a callback address, or undefined. */
  readonly checkUrl: (url: string) => string | undefined;
  readonly secrets: SecretSealer;
  readonly now: () => number;
};

/**
 * Changes the members that the body names. Concurrent changes of different members are both applied.
 * @returns undefined when the account has no such subscription.
 * @throws {SigcastError} INVALID_REQUEST for an address that is refused, and a member that its kind does not have.
 */
export async function updateSubscription(
  { account, id, body }: { account: string; id: string; body: UpdateWebhook },
  deps: ChangeDeps,
): Promise<Subscription | undefined> {
  for (let tries = 0; tries < maxTries; tries++) {
    const current = await deps.subscriptions.find(account, id);
    if (!current || Object.keys(body).length === 0) return current;
    const { ordered = current.ordered, batch = current.batch } = body;
    if (body.ordered !== undefined || body.batch !== undefined) requireOrdered({ ordered, batch });
    const updated = await deps.subscriptions.update(
      current,
      changesOf(current, body, deps),
      new Date(deps.now()),
    );
    if (updated) return updated;
  }
  throw beingChanged();
}

/** What a body changes of a subscription. A chat's new address becomes its secret, sealed. */
function changesOf(
  { id, chat }: Subscription,
  { telegram, ...body }: UpdateWebhook,
  { checkUrl, secrets }: ChangeDeps,
): SubscriptionChanges {
  const given = { ...body, telegram };
  const destination = destinationOf(chat?.kind ?? 'webhook', given, checkUrl);
  const moved =
    destination?.address === undefined
      ? {}
      : { url: destination.url, secret: secrets.seal(destination.address, id) };
  return { ...body, ...moved, ...(telegram && { telegram: telegramChatOf(telegram) }) };
}

/**
 * Gives the subscription a new secret. The replaced secret signs beside it for 24 hours. Concurrent rotations each make a
 * secret of their own.
 * @returns undefined when the account has no such subscription.
 * @throws {SigcastError} CONFLICT when {@link maxRetiredSecrets} replaced secrets still sign, and for a chat.
 */
export async function rotateSecret(
  { account, id }: { account: string; id: string },
  { subscriptions, secrets: sealer, now }: Pick<ChangeDeps, 'subscriptions' | 'secrets' | 'now'>,
): Promise<Subscription | undefined> {
  for (let tries = 0; tries < maxTries; tries++) {
    const current = await subscriptions.find(account, id);
    if (!current) return undefined;
    if (current.chat) {
      throw new SigcastError('CONFLICT', 'A chat has no signing secret; change its address instead');
    }
    const at = new Date(now());
    const secrets = rotated(current, sealer.seal(newSecret(), id), at);
    if (!secrets) {
      throw new SigcastError(
        'CONFLICT',
        `${maxRetiredSecrets} replaced secrets still sign; the first of them ends at ${firstEnd(current).toISOString()}`,
      );
    }
    const updated = await subscriptions.replaceSecrets(current, secrets, at);
    if (updated) return updated;
  }
  throw beingChanged();
}

function firstEnd({ retiredSecrets }: Subscription): Date {
  return new Date(Math.min(...retiredSecrets.map(({ until }) => until.getTime())));
}

function beingChanged(): SigcastError {
  return new SigcastError('CONFLICT', 'This webhook is being changed by other requests; try again');
}
