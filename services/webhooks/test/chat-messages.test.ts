import {
  chatTemplates,
  testPayload,
  type WebhookPayload,
  type WebhookStatePayload,
} from '@sigcast/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { discordBody } from '../src/sending/chats/discord.ts';
import { messageOf } from '../src/sending/chats/message.ts';
import { linkOf, plainLine } from '../src/sending/chats/plain-line.ts';
import { slackBody } from '../src/sending/chats/slack.ts';
import { telegramBody } from '../src/sending/chats/telegram.ts';
import { discordText, type Shown, slackTexts, telegramText } from './chat-parsers.ts';

const dashboardUrl = 'https://sigcast.example';
const chat = { chat_id: 1, message_thread_id: null };

/** An event with these members of its token. */
function payload(token: Partial<WebhookPayload['data']['token']> = {}): WebhookPayload {
  const { data, ...rest } = testPayload(new Date('2026-01-02T01:30:00Z'));
  return {
    ...rest,
    event: 'signal.winner',
    data: {
      ...data,
      token: { ...data.token, chain: 'solana', ...token },
      metrics: { ...data.metrics, mcap_entry: 100_000, mcap_current: 1_234_567, mcap_ath: 2_000_000 },
      performance: { ...data.performance, roi: 1_134.57, ath_roi: 1_900 },
    },
  };
}

const hostileTexts = [
  '*bold* _it_ ~s~ `code` ||spoiler||',
  '@everyone <@&1> <@1> <#2> <!channel> <!here|x> <https://evil.example|click>',
  '[click](https://evil.example) https://evil.example evil.example t.me/evil @evil /start #tag',
  '# heading\n> quote\n- list\n1. list\n```\nblock',
  '\\* \\` \\\\ &lt;!channel&gt; &amp; :smile: <:x:1> <t:1>',
  '\u202egnp.exe\u202c \u2066x \u200b\u00ad مرحبا שלום',
  `Z${'\u0301\u0300\u0302'.repeat(60)}algo`,
  'W'.repeat(200),
  '`*_[]()'.repeat(30),
  '\ud800 lone \u0000 null',
];
const hostileText = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.constantFrom(...hostileTexts, 'a'), { maxLength: 3 }).map((parts) => parts.join('')),
);
const hostileToken = fc.record({
  symbol: hostileText,
  name: hostileText,
  contract: hostileText,
  socials: fc.record({ twitter: link(), telegram: link(), website: link() }),
});
function link() {
  return fc.oneof(
    hostileText,
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.constantFrom(
      'https://x.com/a)b|c>d*e_f`g',
      'javascript:alert(1)',
      'https://discord.com@evil.example/',
      'https://[::1]/',
    ),
    hostileText.map((text) => `https://nova.example/${text}`),
  );
}

const template = fc.constantFrom(...chatTemplates);
const tokens = fc.oneof(
  fc.array(hostileToken, { minLength: 1, maxLength: 2 }),
  fc.array(hostileToken, { minLength: 10, maxLength: 10 }),
);

/** Calls `check` with what a person sees of each of up to ten hostile tokens in one message. */
function holdsFor(
  show: (bodies: readonly ReturnType<typeof messageOf>[]) => Shown,
  check: (shown: Shown, expected: { subject: string; count: number }) => void,
) {
  fc.assert(
    fc.property(tokens, template, (all, chosen) => {
      const messages = all.map((token) =>
        messageOf(JSON.stringify(payload(token)), { template: chosen, dashboardUrl }),
      );
      const shown = show(messages);
      for (const { subject } of messages) check(shown, { subject, count: messages.length });
      const allowed = new Set(messages.flatMap(({ links }) => links.map(({ url }) => url)));
      for (const { url, text } of shown.links) {
        expect(allowed).toContain(url);
        expect(['DexScreener', 'Sigcast', 'Website', 'X', 'Telegram']).toContain(text);
      }
    }),
    { numRuns: 100 },
  );
}

describe('text of others is shown as text', () => {
  it('in Telegram: as code, in MarkdownV2 that is valid, within 4,096 characters', () => {
    holdsFor(
      (messages) => telegramText((JSON.parse(telegramBody(messages, chat)) as { text: string }).text),
      (shown, { subject, count }) => {
        expect(shown.verbatim.map((text) => plainLine(text))).toContain(subject);
        expect(shown.bold).toBe(count);
        expect(shown.characters).toBeLessThanOrEqual(4_096);
      },
    );
  });

  it('in Discord: with every character of Markdown escaped, in at most ten embeds and 6,000 characters, without mentions', () => {
    holdsFor(
      (messages) => discordText(discordBody(messages)),
      (shown, { subject }) => {
        const start = subject.slice(0, 40).trim();
        expect(shown.verbatim.some((text) => plainLine(text).includes(start))).toBe(true);
        expect(shown.characters).toBeLessThanOrEqual(6_000);
      },
    );
  });

  it('in Slack: as plain text without emoji, with &, < and > escaped, within the limits of blocks', () => {
    holdsFor(
      (messages) => slackTexts(slackBody(messages)),
      (shown, { subject }) => {
        const start = subject.slice(0, 15).trim();
        expect(shown.verbatim.some((text) => plainLine(text).includes(start))).toBe(true);
      },
    );
  });
});

it('a line of others has no control, invisible or direction-turning characters, and few marks on a letter', () => {
  fc.assert(
    fc.property(hostileText, fc.integer({ min: 1, max: 80 }), (text, max) => {
      const line = plainLine(text, max);
      expect([...line].length).toBeLessThanOrEqual(max);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|\p{M}{4}/u);
    }),
  );
  expect(plainLine('Nova\n  Coin', 20)).toBe('Nova Coin');
});

it('a link is http or https, without a user, and with nothing in it that a provider reads', () => {
  expect(linkOf('https://x.com/nova?a=1&b=2#c')).toBe('https://x.com/nova?a=1&b=2#c');
  expect(linkOf('https://x.com/a)b|c')).toBe('https://x.com/a%29b%7Cc');
  for (const refused of [
    '',
    'javascript:alert(1)',
    'https://discord.com@evil.example/',
    'ftp://x.com/',
    'x.com',
  ]) {
    expect(linkOf(refused)).toBeUndefined();
  }
});

describe('what a message says', () => {
  const said = (chosen: (typeof chatTemplates)[number]) =>
    telegramText(
      (
        JSON.parse(
          telegramBody(
            [
              messageOf(JSON.stringify(payload({ contract: 'So1anaMint' })), {
                template: chosen,
                dashboardUrl,
              }),
            ],
            chat,
          ),
        ) as { text: string }
      ).text,
    );

  it('token, market cap then and now, and links; more by template', () => {
    const compact = said('compact');
    expect(compact.text).toBe(
      '🟢 Winner: TEST · Test signal · Market cap: $100K → $1.2M (+1.1K%) · DexScreener · Sigcast',
    );
    expect(compact.links.map(({ url }) => url)).toEqual([
      'https://dexscreener.com/solana/So1anaMint',
      'https://sigcast.example/signals/sig_00000000000000000000000000',
    ]);
    expect(said('standard').text.split('\n')).toEqual([
      '🟢 Winner: TEST · Test signal',
      expect.stringMatching(/^Type: \w+/),
      'Chain: solana',
      'Market cap: $100K → $1.2M (+1.1K%)',
      'Liquidity: $20K',
      'DexScreener · Sigcast',
    ]);
    expect(said('detailed').text).toMatch(
      /Highest: \$2M \(\+1\.9K%\)\nVolume, 24 h: \$10K\nHolders: 100\nToken age: 1 h\nContract: So1anaMint\nTime: 2026-01-02 01:30 UTC/,
    );
  });

  it('a test and an event about a webhook have messages, too', () => {
    const state: WebhookStatePayload = {
      event: 'webhook.disabled',
      timestamp: '2026-01-02T01:30:00.000Z',
      data: {
        id: 'wh_01J9ZR0B2D4F6H8K0M2P4R6T8V',
        url: 'https://example.com/hook',
        description: null,
        failing_since: '2026-01-01T01:30:00.000Z',
        disables_at: null,
        disabled_reason: 'gone',
      },
    };
    const shown = [testPayload(new Date()), state].map((one) => {
      const message = messageOf(JSON.stringify(one), { template: 'standard', dashboardUrl });
      slackTexts(slackBody([message]));
      discordText(discordBody([message]));
      return telegramText((JSON.parse(telegramBody([message], chat)) as { text: string }).text).text;
    });
    expect(shown[0]).toMatch(/^🔵 Test message: TEST · Test signal\n/);
    expect(shown[1]).toBe(
      '🔴 Webhook disabled: wh_01J9ZR0B2D4F6H8K0M2P4R6T8V\nAddress: https://example.com/hook\nFailing since: 2026-01-01 01:30 UTC\nReason: it takes no more events',
    );
  });
});
