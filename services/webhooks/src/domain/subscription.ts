import {
  type CreateWebhook,
  type Filter,
  type Idempotency,
  invalidRequest,
  makeOnce,
  SigcastError,
  type SignalType,
  type SubscribableEvent,
  signalTypes,
  type TelegramChat,
  type UpdateWebhook,
  type Webhook,
  type WebhookBatch,
} from '@sigcast/contracts';
import { disablesAt } from './auto-disable.ts';
import { type Chat, destinationOf, requireDestination, telegramChatOf } from './destination.ts';
import { type RecoveryState, toRecovery } from './recovery.ts';
import { newSecret, type SecretSealer, type SigningSecrets, stillSigning } from './signing-secrets.ts';

export type Subscription = SigningSecrets & {
  readonly id: string;
  readonly account: string;
  /** The chat that it sends to; null for an address of a program. */
  readonly chat: Chat | null;
  /** Its address as it is shown. That of a chat is the secret. */
  readonly url: string;
  /** Whether the address has answered with success. */
  readonly proven: boolean;
  readonly events: readonly SubscribableEvent[];
  readonly types: readonly SignalType[];
  /** The conditions that an event's signal has to meet, as they were given; null for none. */
  readonly filter: Filter | null;
  /** Whether its deliveries are made one at a time, in the feed's order. */
  readonly ordered: boolean;
  /** How its events are put together in requests; null for each alone. */
  readonly batch: WebhookBatch | null;
  /** Since when and why the subscription is disabled; null while it is enabled. */
  readonly disabled: { readonly reason: 'paused' | 'failing' | 'gone'; readonly at: Date } | null;
  /** Whether its account's e-mail address still has to be verified: nothing is sent until then. */
  readonly unverified: boolean;
  /** When its current streak of failures began, as far as stored. */
  readonly failingSince: Date | null;
  readonly description: string | null;
  /** The last recovery that was requested. */
  readonly recovery: RecoveryState | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** What a request changes of a subscription. */
export type SubscriptionChanges = Omit<UpdateWebhook, 'telegram'> & {
  readonly telegram?: TelegramChat;
  /** The sealed address of a chat, with the `url` that is shown. */
  readonly secret?: string;
};

/** What the first answer of a request with an idempotency key had besides the members of its body. */
export type FirstAnswer = Pick<Subscription, 'id' | 'secret' | 'createdAt' | 'unverified'>;

/** Where subscriptions are stored. */
export type SubscriptionStore = {
  /**
   * Stores a subscription, and returns whether its account is unverified: as the newest notice of the account says, or, where
   * there is none, as the subscription does. `full`: the account has `quota` of them.
   * `key-used`: the idempotency key belongs to another subscription. `account-deleted`: the account was deleted. Each bound
   * holds under concurrent inserts.
   */
  insert(
    subscription: Subscription,
    options: { readonly idempotency: Idempotency | undefined; readonly quota: number },
  ): Promise<Pick<Subscription, 'unverified'> | 'full' | 'key-used' | 'account-deleted'>;
  /** What was made with an idempotency key, also when it is deleted by now. */
  byIdempotencyKey(
    account: string,
    key: string,
  ): Promise<{ readonly first: FirstAnswer; readonly idempotency: Idempotency } | undefined>;
  /** Removes an idempotency key that has expired. */
  releaseKey(id: string, key: string): Promise<void>;
  find(account: string, id: string): Promise<Subscription | undefined>;
  list(
    account: string,
    page: { skip: number; limit: number },
  ): Promise<{ total: number; items: Subscription[] }>;
  /**
   * Sets the members of `changes`. Returns undefined, and writes nothing, when the status or the address was changed meanwhile
   * or the subscription was deleted.
   */
  update(current: Subscription, changes: SubscriptionChanges, at: Date): Promise<Subscription | undefined>;
  /** Returns undefined, and writes nothing, when the secret was replaced meanwhile or the subscription was deleted. */
  replaceSecrets(current: Subscription, secrets: SigningSecrets, at: Date): Promise<Subscription | undefined>;
  /** Stores when a test was made. If there was a test after `notSince`, stores nothing and returns when that test was made. */
  noteTest(id: string, at: Date, notSince: Date): Promise<'noted' | Date>;
  /** Deletes the subscription and its log. Returns false when there is no such subscription. */
  remove(account: string, id: string): Promise<boolean>;
};

/** Says where the host name of a permitted address leads, if it leads nowhere. */
export type NameWarning = (url: string) => Promise<string | undefined>;

export type CreateDeps = {
  readonly subscriptions: SubscriptionStore;
  /** What is wrong with a callback address, or undefined. */
  readonly checkUrl: (url: string) => string | undefined;
  readonly secrets: SecretSealer;
  readonly newId: () => string;
  readonly now: () => number;
};

/**
 * Makes a subscription. A request with the same idempotency key and body within 24 hours returns the subscription as it was
 * made first, whether it was changed or deleted since.
 * @throws {SigcastError} INVALID_REQUEST for an address that the policy refuses, CONFLICT for a key that was used with
 * another body and beyond the account's quota, FORBIDDEN when the account was deleted.
 */
export async function createSubscription(
  request: {
    account: string;
    quota: number;
    unverified: boolean;
    body: CreateWebhook;
    idempotency: Idempotency | undefined;
  },
  deps: CreateDeps,
): Promise<Subscription> {
  const { account, quota, unverified, body } = request;
  const { kind = 'webhook', template = 'standard', telegram } = body;
  const { url, address = newSecret() } = requireDestination(kind, destinationOf(kind, body, deps.checkUrl));
  requireOrdered({ ordered: body.ordered ?? false, batch: body.batch ?? null });
  const now = new Date(deps.now());
  const id = deps.newId();
  const subscription: Subscription = {
    id,
    account,
    chat:
      kind === 'webhook' ? null : { kind, template, telegram: telegram ? telegramChatOf(telegram) : null },
    url,
    proven: false,
    failingSince: null,
    events: body.events,
    types: body.types ?? signalTypes,
    filter: body.filter ?? null,
    ordered: kind !== 'webhook' || (body.ordered ?? false),
    batch: body.batch ?? null,
    disabled: null,
    unverified,
    description: body.description ?? null,
    secret: deps.secrets.seal(address, id),
    retiredSecrets: [],
    recovery: null,
    createdAt: now,
    updatedAt: now,
  };
  const { subscriptions } = deps;
  return makeOnce(request.idempotency, {
    byKey: async (key) => {
      const earlier = await subscriptions.byIdempotencyKey(account, key);
      // The body is the same, so the first answer is made of it again.
      const made = earlier && { ...subscription, ...earlier.first, updatedAt: earlier.first.createdAt };
      return made && { made, idempotency: earlier.idempotency };
    },
    releaseKey: ({ id }, key) => subscriptions.releaseKey(id, key),
    insert: async (idempotency) => {
      const outcome = await subscriptions.insert(subscription, { idempotency, quota });
      if (outcome === 'account-deleted') throw new SigcastError('FORBIDDEN', 'This account is deleted');
      if (outcome === 'full') {
        throw new SigcastError('CONFLICT', `The quota of your plan for webhooks is used up: ${quota}`);
      }
      return outcome === 'key-used' ? outcome : { ...subscription, ...outcome };
    },
  });
}

/** The status of a subscription. */
export function statusOf({ disabled, unverified }: Pick<Subscription, 'disabled' | 'unverified'>) {
  if (disabled) return 'disabled';
  return unverified ? 'pending' : 'enabled';
}

/** @throws {SigcastError} CONFLICT while the account's e-mail address is unverified. */
export function requireVerified({ unverified }: Pick<Subscription, 'unverified'>): void {
  if (unverified)
    throw new SigcastError(
      'CONFLICT',
      "Verify your account's e-mail address first: until then nothing is sent",
    );
}

/** @throws {SigcastError} INVALID_REQUEST that names `batch` for a subscription that is not ordered. */
export function requireOrdered({
  ordered,
  batch,
}: {
  readonly ordered: boolean;
  readonly batch: WebhookBatch | null;
}): void {
  if (batch === null || ordered) return;
  throw invalidRequest([
    { field: 'batch', message: 'is for ordered webhooks: set ordered to true, or batch to null' },
  ]);
}

/** The member `warnings` of an answer to a request that sets an address; nothing where there is nothing to warn of. */
export async function warningsOf(
  { chat, url }: Pick<Subscription, 'chat' | 'url'>,
  nameWarning: NameWarning,
): Promise<Pick<Webhook, 'warnings'>> {
  const message = chat === null ? await nameWarning(url) : undefined;
  return message === undefined ? {} : { warnings: [{ field: 'url', message }] };
}

/** The subscription as its account sees it, without its secrets. */
export function toWebhook(subscription: Subscription, now: Date): Webhook {
  const { chat, disabled, recovery } = subscription;
  const failingSince = disabled ? null : subscription.failingSince;
  const overlaps = stillSigning(subscription, now).map(({ until }) => until.getTime());
  return {
    id: subscription.id,
    kind: chat?.kind ?? 'webhook',
    url: subscription.url,
    telegram: chat?.telegram ?? null,
    template: chat?.template ?? null,
    proven: subscription.proven,
    events: [...subscription.events],
    types: [...subscription.types],
    filter: subscription.filter,
    ordered: subscription.ordered,
    batch: subscription.batch,
    status: statusOf(subscription),
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
