import { type IncomingMessage, parseWebhookNotice } from '@sigcast/messaging';
import type { Mails } from '../domain/mail/sending.ts';

/** Handles notices of webhooks. A notice is handled when its mail is stored. */
export function mailWebhookNotices(add: Mails['add']): (message: IncomingMessage) => Promise<void> {
  return async (message) => {
    const notice = parseWebhookNotice(message);
    const { account } = notice.data;
    await add({ id: `webhooks:${notice.id}`, account, kind: 'webhooks', values: notice });
  };
}
