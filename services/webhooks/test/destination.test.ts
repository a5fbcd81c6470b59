import { chatTemplates } from '@sigcast/contracts';
import { expect, it } from 'vitest';
import { destinationOf, type GivenDestination, maskedToken, tokenOf } from '../src/domain/destination.ts';
import { discordAddress, slackAddress, telegramDestination } from './chat-addresses.ts';

const permitted = () => undefined;
const messageOf = (kind: Parameters<typeof destinationOf>[0], given: GivenDestination) => {
  try {
    destinationOf(kind, given, permitted);
    return undefined;
  } catch (error) {
    return (error as { details?: readonly { field: string; message: string }[] }).details?.[0];
  }
};

it.each([
  ['slack', { url: slackAddress }],
  ['slack', { url: slackAddress.replace('slack.com', 'slack-gov.com') }],
  ['discord', { url: discordAddress }],
  ['discord', { url: discordAddress.replace('//', '//canary.').replace('/api/', '/api/v10/') }],
  ['telegram', { telegram: telegramDestination }],
] as const)(
  'of the address of a chat, %s %o, only the last four characters of the token are shown',
  (kind, given) => {
    const { url = '', address = '' } = destinationOf(kind, given, permitted) ?? {};
    const token = tokenOf(address);
    expect(token.length).toBeGreaterThan(20);
    expect(url).not.toContain(token.slice(0, -4));
    expect(url.replace(/\?chat_id=-\d+$/, '').split(maskedToken(token))).toEqual(address.split(token));
    expect(new URL(url).host).toBe(new URL(address).host);
  },
);

it('the token of a chat is masked where it stands, also where the address has the same text before it', () => {
  const before = `https://hooks.slack.com/services/T0000TEST/B${'a'.repeat(20)}/`;
  expect(destinationOf('slack', { url: `${before}${'a'.repeat(20)}` }, permitted)?.url).toBe(
    `${before}***aaaa`,
  );
});

it('the address of a chat is only that of its provider', () => {
  const near = [
    slackAddress.replace('hooks.slack.com', 'hooks.slack.com.example.com'),
    slackAddress.replace('hooks.slack.com', 'hooks.slack.com@example.com'),
    slackAddress.replace('https:', 'http:'),
    slackAddress.replace('.com/', '.com:8443/'),
    `${slackAddress}?x=1`,
    // No token is so short.
    'https://hooks.slack.com/services/T1/B1/s',
    'https://discord.com/api/webhooks/1/h',
    `${slackAddress}/../x`,
    `${slackAddress}\n`,
    'https://example.com/services/T000/B000/aaaaaaaaaaaaaaaaaaaaaaaa',
    discordAddress.replace('discord.com', 'xdiscord.com'),
    discordAddress.replace('/webhooks/', '/channels/'),
  ];
  for (const url of near) {
    expect(messageOf('slack', { url })).toMatchObject({ field: 'url' });
    expect(messageOf('discord', { url })).toMatchObject({ field: 'url' });
  }
  expect(messageOf('discord', { url: slackAddress })).toMatchObject({ field: 'url' });
  expect(
    destinationOf('discord', { url: discordAddress.replace('discord.com', 'discordapp.com') }, permitted),
  ).toEqual(destinationOf('discord', { url: discordAddress }, permitted));
});

it('a member that a kind does not have is refused by its name', () => {
  const [template] = chatTemplates;
  const url = 'https://example.com/hook';
  expect(messageOf('webhook', { url, template })).toMatchObject({ field: 'template' });
  expect(messageOf('webhook', { url, telegram: telegramDestination })).toMatchObject({ field: 'telegram' });
  expect(messageOf('slack', { url: slackAddress, telegram: telegramDestination })).toMatchObject({
    field: 'telegram',
  });
  expect(messageOf('telegram', { url, telegram: telegramDestination })).toMatchObject({ field: 'url' });
  expect(messageOf('slack', { url: slackAddress, batch: {} })).toMatchObject({ field: 'batch' });
  expect(messageOf('telegram', { telegram: telegramDestination, ordered: false })).toMatchObject({
    field: 'ordered',
  });
  expect(messageOf('telegram', { telegram: telegramDestination, ordered: true, template })).toBeUndefined();
});
