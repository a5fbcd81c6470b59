import type { Delivery, DeliveryAttempt, SubscribableEvent, Webhook } from '@sigcast/client';
import type { Tone } from '../../ui/tone.ts';

type Word = { readonly word: string; readonly tone: Tone };

/** The events that can be subscribed to, with their meaning. */
export const eventWords: Readonly<Record<SubscribableEvent, string>> = {
  'signal.new': 'A signal was created',
  'signal.winner': 'A signal became a winner',
  'signal.dead': 'A signal was marked dead',
  'signal.rugged': 'A signal’s token was rugged',
  'webhook.failing': 'Another webhook of yours has failed for a day',
  'webhook.disabled': 'Another webhook of yours was disabled',
};

/** Where events are sent to. */
export const kindWords: Readonly<Record<Webhook['kind'], string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  discord: 'Discord',
  telegram: 'Telegram',
};

/** How much a message in a chat says. */
export const templateWords: Readonly<
  Record<NonNullable<Webhook['template']>, { readonly word: string; readonly means: string }>
> = {
  compact: { word: 'Compact', means: 'One line: the token, its market cap, and links.' },
  standard: { word: 'Standard', means: 'Type, chain, market cap, liquidity, and the token’s own links.' },
  detailed: { word: 'Detailed', means: 'Also highest market cap, volume, holders, age, contract and time.' },
};

const deliveryWords: Readonly<Record<Delivery['status'], Word>> = {
  pending: { word: 'Waiting', tone: 'neutral' },
  delivered: { word: 'Delivered', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
};

type Progress = Pick<Delivery, 'status' | 'attempt_count'>;

const isRetried = ({ status, attempt_count: attempts }: Progress) => status === 'pending' && attempts > 0;

export function deliveryWord(delivery: Progress): Word {
  return isRetried(delivery) ? { word: 'Retrying', tone: 'neutral' } : deliveryWords[delivery.status];
}

export const outcomeWords: Readonly<Record<DeliveryAttempt['outcome'], string>> = {
  succeeded: 'Answered 200',
  bad_status: 'Answered, but not 200',
  timeout: 'No answer in time',
  connection: 'No connection',
  refused_address: 'Address not allowed',
  interrupted: 'Interrupted by Sigcast, then tried again',
};

/** What was done, and what is to be mended at the address. */
export function withWarnings(done: string, { warnings = [] }: Webhook): string {
  return [done, ...warnings.map(({ message }) => `${message}.`)].join(' ');
}

/** What somebody called a webhook, or where it sends. */
export function nameOf(webhook: Webhook): string {
  return webhook.description ?? addressOf(webhook);
}

/** An address as people read it. */
export function addressOf({ url }: Webhook): string {
  return url.replace(/^https?:\/\//, '');
}

export function stateOf({ status, disabled_reason: reason }: Webhook): Word {
  if (status === 'enabled') return { word: 'Enabled', tone: 'good' };
  if (status === 'pending') return { word: 'Pending', tone: 'neutral' };
  return reason === 'paused' ? { word: 'Paused', tone: 'neutral' } : { word: 'Disabled', tone: 'bad' };
}
