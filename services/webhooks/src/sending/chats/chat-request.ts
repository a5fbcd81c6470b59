import { retryAfterMs } from '@sigcast/http';
import { type Chat, tokenOf, withoutToken } from '../../domain/destination.ts';
import { jsonHeaders, type Request } from '../request.ts';
import { chatAnswer } from './answers.ts';
import { discordBody } from './discord.ts';
import { type ChatMessage, messageOf } from './message.ts';
import { slackBody } from './slack.ts';
import { telegramBody } from './telegram.ts';

export type ChatSettings = {
  /** Address of a stand-in for all providers, which gets the provider's host name before the path. */
  readonly baseUrl?: string | undefined;
  /** Address of the dashboard, for links to signals. */
  readonly dashboardUrl?: string | undefined;
};

/**
 * The request that sends events to a chat, one message for all of them.
 * @param bodies the events, as webhooks get them.
 */
export function chatRequest(
  chat: Chat,
  {
    address,
    bodies,
    now,
    settings: { baseUrl, dashboardUrl },
  }: {
    readonly address: string;
    readonly bodies: readonly string[];
    readonly now: () => number;
    readonly settings: ChatSettings;
  },
): Request {
  const { template } = chat;
  const body = bodyOf(
    chat,
    bodies.map((one) => messageOf(one, { template, dashboardUrl })),
  );
  const given = new URL(address);
  // Without it, Discord answers before the message is stored.
  if (chat.kind === 'discord') given.searchParams.set('wait', 'true');
  const url =
    baseUrl === undefined ? given : new URL(`${baseUrl}/${given.host}${given.pathname}${given.search}`);
  const token = tokenOf(address);
  return {
    url,
    headers: jsonHeaders(body),
    body,
    read: (answer) => {
      // The log has no token, also where an answer repeats the address.
      const masked = (text: string) => withoutToken(text, token);
      const body = masked(answer.body);
      const said = chatAnswer(chat.kind, { status: answer.status, body });
      const answered = {
        http_status: answer.status,
        response_body: body,
        response_headers: answer.headers.map(({ name, value }) => ({ name, value: masked(value) })),
      };
      if (said.succeeded) return { outcome: 'succeeded', error: null, ...answered };
      const waitMs = Math.max(said.waitMs ?? 0, retryAfterMs(answer.retryAfter, now()) ?? 0);
      return {
        outcome: 'bad_status',
        error: said.error,
        ...answered,
        ...(waitMs > 0 && { retryAfterMs: waitMs }),
        gone: said.gone,
      };
    },
  };
}

function bodyOf({ kind, telegram }: Chat, messages: readonly ChatMessage[]): string {
  switch (kind) {
    case 'slack':
      return slackBody(messages);
    case 'discord':
      return discordBody(messages);
    case 'telegram':
      if (telegram === null) throw new TypeError('a destination in Telegram has no chat');
      return telegramBody(messages, telegram);
  }
}
