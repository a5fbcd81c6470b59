import type { Delivery, DeliveryAttempt, Webhook, WebhookEventType } from '@sigcast/contracts';
import type { Tone } from '../../ui/tag.tsx';

type Word = { readonly word: string; readonly tone: Tone };

/** What can be subscribed to, with what it means. */
export const eventWords: Readonly<Record<WebhookEventType, string>> = {
  'signal.new': 'A signal was made',
  'signal.winner': 'A signal became a winner',
  'signal.dead': 'A signal was given up',
  'signal.rugged': 'A signal’s token was rugged',
};

export const deliveryWords: Readonly<Record<Delivery['status'], Word>> = {
  pending: { word: 'On its way', tone: 'info' },
  delivered: { word: 'Delivered', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
};

export const outcomeWords: Readonly<Record<DeliveryAttempt['outcome'], string>> = {
  succeeded: 'Answered 200',
  bad_status: 'Answered, but not 200',
  timeout: 'No answer in time',
  connection: 'No connection',
  refused_address: 'Address not allowed',
  interrupted: 'Interrupted by us; tried again',
};

export function stateOf({ status, disabled_reason: reason }: Webhook): Word {
  if (status === 'enabled') return { word: 'Enabled', tone: 'good' };
  return reason === 'paused' ? { word: 'Paused', tone: 'neutral' } : { word: 'Disabled', tone: 'bad' };
}
