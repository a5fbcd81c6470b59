import { createHash } from 'node:crypto';
import {
  type CreateWebhook,
  invalidRequest,
  SigcastError,
  type SignalType,
  type SubscribableEvent,
  signalTypes,
  type UpdateWebhook,
  type Webhook,
} from '@sigcast/contracts';
import { disablesAt } from './disabling.ts';
import { type RecoveryState, toRecovery } from './recovery.ts';
import { newSecret, type SigningSecrets, stillSigning } from './signing-secrets.ts';

/** Subscriptions an account may have. */
export const maxSubscriptions = 20;

/** How long an idempotency key stands for the request it came with. */
export const idempotencyLifeMs = 24 * 3_600_000;

export type Subscription = SigningSecrets & {
  readonly id: string;
  readonly account: string;
  readonly url: string;
  /** Whether the address has answered with success. */
  readonly proven: boolean;
  readonly events: readonly SubscribableEvent[];
  readonly types: readonly SignalType[];
  /** Whether its deliveries are made one at a time, in the feed's order. */
  readonly ordered: boolean;
  /** Since when nothing is sent, and why; null while enabled. */
  readonly disabled: { readonly reason: 'paused' | 'failing' | 'gone'; readonly at: Date } | null;
  /** Since when its deliveries fail, as far as noted. */
  readonly failingSince: Date | null;
  readonly description: string | null;
  /** The recovery last asked for. */
  readonly recovery: RecoveryState | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The request a subscription was made by, under the client's own key. */
export type Idempotency = { readonly key: string; readonly hash: string; readonly at: Date };

/** Where subscriptions are kept. */
export type SubscriptionStore = {
  /**
   * Stores a subscription; `full` when the account has its maximum, `key-used` when its idempotency key stands
   * for another subscription already, `account-deleted` when its account was deleted. Holds under any concurrency.
   */
  insert(
    subscription: Subscription,
    idempotency: Idempotency | undefined,
  ): Promise<'stored' | 'full' | 'key-used' | 'account-deleted'>;
  byIdempotencyKey(
    account: string,
    key: string,
  ): Promise<{ subscription: Subscription; idempotency: Idempotency } | undefined>;
  /** Lets an idempotency key go that has outlived its day. */
  releaseKey(id: string, key: string): Promise<void>;
  find(account: string, id: string): Promise<Subscription | undefined>;
  list(
    account: string,
    page: { skip: number; limit: number },
  ): Promise<{ total: number; items: Subscription[] }>;
  /** Sets what `changes` names. Undefined when it was paused, resumed, moved or deleted meanwhile: nothing is written. */
  update(current: Subscription, changes: UpdateWebhook, at: Date): Promise<Subscription | undefined>;
  /** Undefined when its secret was replaced meanwhile, or it was deleted: nothing is written. */
  replaceSecrets(current: Subscription, secrets: SigningSecrets, at: Date): Promise<Subscription | undefined>;
  /** Notes a test, unless there was one after `notSince`: then when that was. */
  noteTest(id: string, at: Date, notSince: Date): Promise<'noted' | Date>;
  /** Deletes the subscription and its log. False when there is none. */
  remove(account: string, id: string): Promise<boolean>;
};

export type CreateDeps = {
  readonly subscriptions: SubscriptionStore;
  /** What is wrong with a callback address, or undefined. */
  readonly checkUrl: (url: string) => string | undefined;
  readonly newId: () => string;
  readonly now: () => number;
};

/**
 * Makes a subscription. The same idempotency key with the same body within 24 h gives the first one again.
 * @throws {SigcastError} INVALID_REQUEST for an address that is refused, CONFLICT for a key that stands for another
 * body and for the 21st subscription, FORBIDDEN when the account was deleted meanwhile.
 */
export async function createSubscription(
  request: { account: string; body: CreateWebhook; idempotencyKey?: string | undefined },
  deps: CreateDeps,
): Promise<Subscription> {
  const { account, body, idempotencyKey } = request;
  requirePermittedUrl(body.url, deps.checkUrl);
  const now = new Date(deps.now());
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  const subscription: Subscription = {
    id: deps.newId(),
    account,
    url: body.url,
    proven: false,
    failingSince: null,
    events: body.events,
    types: body.types ?? signalTypes,
    ordered: body.ordered ?? false,
    disabled: null,
    description: body.description ?? null,
    secret: newSecret(),
    retiredSecrets: [],
    recovery: null,
    createdAt: now,
    updatedAt: now,
  };
  const idempotency = idempotencyKey === undefined ? undefined : { key: idempotencyKey, hash, at: now };
  // Twins that meet the same key settle in the second round; more rounds than that would be a bug.
  for (let round = 0; round < 5; round++) {
    if (idempotency) {
      const earlier = await deps.subscriptions.byIdempotencyKey(account, idempotency.key);
      if (earlier && now.getTime() - earlier.idempotency.at.getTime() < idempotencyLifeMs) {
        if (earlier.idempotency.hash === hash) return earlier.subscription;
        throw new SigcastError('CONFLICT', 'This Idempotency-Key was used with another body');
      }
      if (earlier) await deps.subscriptions.releaseKey(earlier.subscription.id, idempotency.key);
    }
    const outcome = await deps.subscriptions.insert(subscription, idempotency);
    if (outcome === 'stored') return subscription;
    if (outcome === 'account-deleted') throw new SigcastError('FORBIDDEN', 'This account is deleted');
    if (outcome === 'full') {
      throw new SigcastError('CONFLICT', `An account can have at most ${maxSubscriptions} webhooks`);
    }
  }
  throw new SigcastError('CONFLICT', 'This Idempotency-Key is being used by another request');
}

/** @throws {SigcastError} INVALID_REQUEST naming `url` when the address is refused. */
export function requirePermittedUrl(url: string, checkUrl: CreateDeps['checkUrl']): void {
  const refused = checkUrl(url);
  if (refused) throw invalidRequest([{ field: 'url', message: refused }]);
}

/** The subscription as its account sees it, without its secrets. */
export function toWebhook(subscription: Subscription, now: Date): Webhook {
  const { disabled, recovery } = subscription;
  const failingSince = disabled ? null : subscription.failingSince;
  const overlaps = stillSigning(subscription, now).map(({ until }) => until.getTime());
  return {
    id: subscription.id,
    url: subscription.url,
    proven: subscription.proven,
    events: [...subscription.events],
    types: [...subscription.types],
    ordered: subscription.ordered,
    status: disabled ? 'disabled' : 'enabled',
    disabled_reason: disabled?.reason ?? null,
    disabled_at: disabled?.at.toISOString() ?? null,
    failing_since: failingSince?.toISOString() ?? null,
    disables_at: failingSince && disablesAt(failingSince).toISOString(),
    description: subscription.description,
    previous_secret_expires_at: overlaps.length > 0 ? new Date(Math.max(...overlaps)).toISOString() : null,
    recovery: recovery && toRecovery(recovery),
    created_at: subscription.createdAt.toISOString(),
    updated_at: subscription.updatedAt.toISOString(),
  };
}
