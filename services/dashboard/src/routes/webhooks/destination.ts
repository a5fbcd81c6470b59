import type { CreateWebhook, Webhook } from '@sigcast/client';

/** Where events are sent, as the form has it. A token is only typed, never shown. */
export type Destination = {
  readonly kind: Webhook['kind'];
  readonly url: string;
  readonly token: string;
  readonly chat: string;
  readonly topic: string;
  readonly template: NonNullable<Webhook['template']>;
};

/** The destination of a webhook that is edited, or an empty one. */
export function destinationOf(webhook: Webhook | undefined): Destination {
  const { kind = 'webhook', url = '', telegram = null, template = null } = webhook ?? {};
  return {
    kind,
    // The address of a chat is only shown in part.
    url: kind === 'webhook' ? url : '',
    token: '',
    chat: String(telegram?.chat_id ?? ''),
    topic: String(telegram?.message_thread_id ?? ''),
    template: template ?? 'standard',
  };
}

/** Whether a request needs the bot's token: the webhook is new, or its chat or topic changes. */
export function needsToken({ chat, topic }: Destination, webhook: Webhook | undefined): boolean {
  const before = destinationOf(webhook);
  return webhook === undefined || chat.trim() !== before.chat || topic.trim() !== before.topic;
}

/** Whether something is typed as the address that is no URL. */
export function isNoAddress({ kind, url }: Destination): boolean {
  return kind !== 'telegram' && url.trim() !== '' && !URL.canParse(url.trim());
}

/** The members of a request that say where events are sent. */
export function destinationBody(
  { kind, url, token, chat, topic, template }: Destination,
  editing: boolean,
): Pick<CreateWebhook, 'kind' | 'url' | 'telegram' | 'template'> {
  const address = url.trim();
  const telegram = {
    bot_token: token.trim(),
    chat_id: /^-?\d+$/.test(chat.trim()) ? Number(chat) : chat.trim(),
    ...(topic.trim() !== '' && { message_thread_id: Number(topic) }),
  };
  return {
    ...(!editing && { kind }),
    ...(kind !== 'telegram' && address !== '' && { url: address }),
    ...(kind === 'telegram' && telegram.bot_token !== '' && { telegram }),
    ...(kind !== 'webhook' && { template }),
  };
}
