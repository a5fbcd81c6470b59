import { expect, it } from 'vitest';
import { tokenOf } from '../src/domain/destination.ts';
import { chatRequest } from '../src/sending/chats/chat-request.ts';
import { discordAddress, slackAddress, telegramDestination } from './chat-addresses.ts';
import { signalEventOf } from './fixtures/signal-event.ts';

const addresses = {
  slack: slackAddress,
  discord: discordAddress,
  telegram: `https://api.telegram.org/bot${telegramDestination.bot_token}/sendMessage`,
} as const;
const kinds = Object.keys(addresses) as (keyof typeof addresses)[];

const now = '2026-01-01T00:00:00.000Z';
const { data } = signalEventOf({
  id: 'evt_1',
  signalId: 'sig_1',
  type: 'signal.new',
  signalType: 'new',
  at: now,
});
const event = JSON.stringify({ event: 'signal.new', timestamp: now, data });

/** What an answer of a chat's provider comes to. */
function read(kind: keyof typeof addresses, status: number, body: string, header = '') {
  const telegram = { chat_id: 1, message_thread_id: null };
  const chat = { kind, template: 'compact', telegram: kind === 'telegram' ? telegram : null } as const;
  const address = addresses[kind];
  const request = chatRequest(chat, { address, bodies: [event], now: Date.now, settings: {} });
  const headers = [{ name: 'location', value: header }];
  return request.read({ status, body, headers, retryAfter: undefined });
}

it('only the words of the provider say that a chat is gone, not the status or the page of a proxy', () => {
  for (const kind of kinds) {
    for (const body of [
      '<html>no_service</html>',
      'no_service is what we have today',
      '{"ok":null}',
      '[]',
      '',
    ]) {
      for (const status of [401, 403, 404, 410]) {
        expect([kind, body, read(kind, status, body)]).toMatchObject([kind, body, { gone: false }]);
      }
    }
  }
  expect(read('slack', 404, 'no_service\n')).toMatchObject({ gone: true });
});

it('an answer of 200 that is not of Telegram is no success', () => {
  for (const body of ['<html>Sign in</html>', '{"ok":false}', '{"ok":null,"parameters":null}', '{}', '']) {
    const error = 'Answered 200, but not as the provider does';
    expect(read('telegram', 200, body)).toMatchObject({ outcome: 'bad_status', error, gone: false });
  }
  expect(read('telegram', 200, '{ "ok": true, "result": {"text": "cut')).toMatchObject({
    outcome: 'succeeded',
  });
  expect(read('telegram', 400, '{"ok":false,"description":"x","parameters":null}')).toMatchObject({
    error: 'Answered 400: x',
    gone: false,
  });
});

it('of a token that an answer repeats and a cut leaves in part, the log has nothing', () => {
  for (const kind of kinds) {
    const token = tokenOf(addresses[kind]);
    for (let length = 5; length < token.length; length += 7) {
      const part = token.slice(0, length);
      const filled = `${'x'.repeat(198 - length)} ${token}`;
      const said = JSON.stringify({ ok: false, message: filled, description: filled });
      for (const result of [read(kind, 500, `at ${part}`, `/${part}…`), read(kind, 500, said)]) {
        expect(JSON.stringify(result)).not.toContain(token.slice(0, 5));
      }
    }
  }
});
