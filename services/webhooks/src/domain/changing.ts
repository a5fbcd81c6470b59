import { SigcastError, type UpdateWebhook } from '@sigcast/contracts';
import { maxRetiredSecrets, newSecret, rotated } from './signing-secrets.ts';
import { requirePermittedUrl, type Subscription, type SubscriptionStore } from './subscription.ts';

/** Writers that meet settle in the next round, since one of them always wins; more rounds than this is no accident. */
const maxRounds = 10;

export type ChangeDeps = {
  readonly subscriptions: SubscriptionStore;
  /** What is wrong with a callback address, or undefined. */
  readonly checkUrl: (url: string) => string | undefined;
  readonly now: () => number;
};

/**
 * Changes what the body names. Changes of different members at once both hold.
 * @returns undefined when the account has no such subscription.
 * @throws {SigcastError} INVALID_REQUEST for an address that is refused.
 */
export async function updateSubscription(
  { account, id, body }: { account: string; id: string; body: UpdateWebhook },
  deps: ChangeDeps,
): Promise<Subscription | undefined> {
  if (body.url !== undefined) requirePermittedUrl(body.url, deps.checkUrl);
  for (let round = 0; round < maxRounds; round++) {
    const current = await deps.subscriptions.find(account, id);
    if (!current || Object.keys(body).length === 0) return current;
    const updated = await deps.subscriptions.update(current, body, new Date(deps.now()));
    if (!updated) continue;
    return updated;
  }
  throw beingChanged();
}

/**
 * Gives the subscription a new secret; the one before signs too for a day. Rotations at once each give their own.
 * @returns undefined when the account has no such subscription.
 * @throws {SigcastError} CONFLICT when too many replaced secrets still sign.
 */
export async function rotateSecret(
  { account, id }: { account: string; id: string },
  { subscriptions, now }: Pick<ChangeDeps, 'subscriptions' | 'now'>,
): Promise<Subscription | undefined> {
  for (let round = 0; round < maxRounds; round++) {
    const current = await subscriptions.find(account, id);
    if (!current) return undefined;
    const at = new Date(now());
    const secrets = rotated(current, newSecret(), at);
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
