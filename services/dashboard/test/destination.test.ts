import type { Webhook } from '@sigcast/client';
import { expect, it } from 'vitest';
import { destinationOf, isNoAddress, needsToken } from '../src/routes/webhooks/destination.ts';

const telegram = { chat_id: -1001234567890, message_thread_id: 7 };
const webhook = { kind: 'telegram', url: '', telegram, template: 'compact' } as unknown as Webhook;

it('another chat or topic of Telegram asks for the token; without such a change it may stay empty', () => {
  const before = destinationOf(webhook);
  expect(needsToken(before, webhook)).toBe(false);
  for (const change of [{ chat: '@other' }, { topic: '8' }, { topic: '' }]) {
    expect(needsToken({ ...before, ...change }, webhook)).toBe(true);
  }
  const empty = { ...destinationOf(undefined), kind: 'telegram' } as const;
  expect(needsToken(empty, undefined)).toBe(true);
});

it.each([
  ['not a url', true],
  ['example.com/hook', true],
  ['', false],
  [' https://example.com/hook ', false],
  ['ftp://example.com', false],
])('the address %j is no URL: %s', (url, expected) => {
  expect(isNoAddress({ ...destinationOf(undefined), url })).toBe(expected);
});
