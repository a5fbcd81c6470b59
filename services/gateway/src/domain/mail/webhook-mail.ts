import type { WebhookNotice } from '@sigcast/contracts';
import { type Content, type Link, shownInstant } from './content.ts';

/** Says that a webhook fails, was disabled, or delivers again. */
export function webhookMail({ type, data }: WebhookNotice, link: Link): Content {
  const { description, host, webhook } = data;
  const nameWith = (text: string) => (text === '' ? host : `${text} (${host})`);
  const name = nameWith(description ?? '');
  const [what, ...sentences] = sentencesOf(type, data);
  return {
    subject: `Webhook ${nameWith(shortened(description ?? ''))} ${what}`,
    blocks: [
      ...sentences.map((sentence) => `Your webhook ${name} ${sentence}`),
      ...(type === 'webhook.disabled' ? [recovery] : []),
      { link: 'See its deliveries', to: link(`/webhooks/${webhook}`) },
    ],
  };
}

/** The most characters of a description that a subject has. */
const maxInSubject = 60;

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length > maxInSubject ? `${characters.slice(0, maxInSubject).join('')}…` : text;
}

const recovery =
  'Nothing is lost: when its address works again, enable the webhook and send again what it missed. Events are kept for 30 days.';

function sentencesOf(type: WebhookNotice['type'], data: WebhookNotice['data']): readonly string[] {
  const { failing_since, disables_at } = data;
  const since = failing_since === null ? '' : ` since ${shownInstant(failing_since)}`;
  if (type === 'webhook.failing') {
    const end =
      disables_at === null
        ? []
        : [`is disabled at ${shownInstant(disables_at)}, unless a delivery succeeds.`];
    return ['fails', `has had no successful delivery${since}.`, ...end];
  }
  if (type === 'webhook.recovered')
    return ['delivers again', `delivers again. Deliveries had failed${since}.`];
  const why =
    data.disabled_reason === 'gone' ? 'its address answered 410 Gone' : `all deliveries failed${since}`;
  return ['is disabled', `is disabled, because ${why}.`];
}
