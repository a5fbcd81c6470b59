import { sampleOf, signalListItemSchema, type WebhookNotice } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { contentOf, type Mail } from '../src/domain/mail/kinds.ts';
import { writeMail } from '../src/mail/write-mail.ts';

const link = (path: string) => `https://api.example.com${path}`;
const written = (mail: Pick<Mail, 'kind' | 'values'>) => writeMail(contentOf(mail, link));

const notice = (type: WebhookNotice['type'], data: Partial<WebhookNotice['data']> = {}) =>
  written({
    kind: 'webhooks',
    values: {
      id: 'evt_1',
      type,
      version: 1,
      occurred_at: '2026-01-02T10:00:00.000Z',
      data: {
        account: 'acct_1',
        webhook: 'wh_1',
        description: 'Trading bot',
        host: 'hooks.example.com',
        failing_since: '2026-01-01T09:30:00.000Z',
        disables_at: null,
        disabled_reason: null,
        ...data,
      },
    },
  });

describe('a mail', () => {
  it('has at most 60 characters of a description in its subject, and all of it in its text', () => {
    const { subject, text } = notice('webhook.failing', { description: '😀'.repeat(200) });
    expect(subject).toBe(`Webhook ${'😀'.repeat(60)}… (hooks.example.com) fails`);
    expect(text).toContain('😀'.repeat(200));
  });

  it.each([
    [
      'webhook.failing',
      { disables_at: '2026-01-04T09:30:00.000Z' },
      'fails',
      'is disabled at 2026-01-04 09:30 UTC, unless',
    ],
    [
      'webhook.disabled',
      { disabled_reason: 'failing' },
      'is disabled',
      'all deliveries failed since 2026-01-01 09:30 UTC',
    ],
    [
      'webhook.disabled',
      { disabled_reason: 'gone', failing_since: null },
      'is disabled',
      'answered 410 Gone',
    ],
    ['webhook.recovered', {}, 'delivers again', 'failed since 2026-01-01 09:30 UTC'],
  ] as const)(
    'of %s (%j) says what happened, to which webhook, and where to look',
    (type, data, what, why) => {
      const { subject, text, html } = notice(type, data);
      expect(subject).toBe(`Webhook Trading bot (hooks.example.com) ${what}`);
      for (const format of [text, html]) {
        expect(format).toContain(why);
        expect(format).toContain('https://api.example.com/webhooks/wh_1');
      }
    },
  );

  it('about a webhook without a description names its host', () => {
    expect(notice('webhook.failing', { description: null }).subject).toBe('Webhook hooks.example.com fails');
  });

  it('about a key names the key, its end and where to rotate it', () => {
    const values = {
      name: 'Bot',
      environment: 'test',
      first: 'x7Kd',
      last: 'Qz3m',
      expires_at: '2026-01-08T10:00:00.000Z',
    };
    const { subject, text } = written({ kind: 'keys', values });
    expect(subject).toBe('API key Bot expires at 2026-01-08 10:00 UTC');
    expect(text).toContain('Bot (test, x7Kd…Qz3m)');
    expect(text).toContain('https://api.example.com/profile/api');
  });
});

describe('a digest', () => {
  const hostile = '<script>alert(1)</script>"\'&';
  const { token, ...sample } = sampleOf(signalListItemSchema);
  const signals = [
    { ...sample, token: { ...token, name: hostile, chain: '<b>', symbol: 'A\r\nBcc: x@example.com\u2028' } },
  ];
  const digest = (values: object) =>
    written({
      kind: 'digest',
      values: {
        every: 'daily',
        since: '2026-01-01T07:00:00.000Z',
        until: '2026-01-02T07:00:00.000Z',
        total: 1_234,
        newest: [],
        best: [],
        refused: null,
        ...values,
      },
    });

  it('says how many signals there are, and shows the figures of some', () => {
    const { subject, text } = digest({ newest: signals });
    expect(subject).toBe('1,234 signals in your daily digest');
    expect(text).toContain('1,234 signals from 2026-01-01 07:00 UTC to 2026-01-02 07:00 UTC.');
    expect(text).toContain(`market cap at entry $${sample.metrics.mcap_entry.toLocaleString('en')}`);
    expect(text).toContain(`https://api.example.com/signals/${sample.id}`);
    expect(digest({ total: 1 }).subject).toBe('1 signal in your daily digest');
  });

  it('shows hostile names of tokens as text, in one line', () => {
    const { text, html } = digest({ best: signals });
    expect(text).toContain(`A Bcc: x@example.com  (${hostile})`);
    expect(text).not.toMatch(/^Bcc:/m);
    expect(html).not.toMatch(/<script>|<b>/);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;');
  });

  it('that could not be made says why', () => {
    const { subject, text } = digest({ refused: 'filter leaves too many signals' });
    expect(subject).toBe('Your daily digest could not be made');
    expect(text).toContain('filter leaves too many signals');
  });
});

it('a subject never has a second line', () => {
  expect(notice('webhook.failing', { description: 'a\r\nBcc: x@example.com' }).subject).not.toMatch(/[\r\n]/);
});
