import type { TelegramChat } from '@sigcast/contracts';
import { type ChatMessage, fitted } from './message.ts';
import { inLine } from './plain-line.ts';

/** The most characters of a message. Telegram counts them without the markup, so this is less than it allows. */
const maxCharacters = 4_096;
const between = '\n\n';

const marks = { good: '🟢', bad: '🔴', neutral: '🔵' } as const;

/** Text as MarkdownV2, all its characters with a meaning escaped (Bot API, "MarkdownV2 style"). */
function escaped(text: string): string {
  return text.replace(/[\\_*[\]()~`>#+\-=|{}.!]/g, '\\$&');
}

/** Text of others as code, in which Telegram looks for no links, mentions and commands. */
function verbatim(text: string): string {
  return `\`${text.replace(/[\\`]/g, '\\$&')}\``;
}

/** The body of a request to `sendMessage` of Telegram's Bot API. */
export function telegramBody(messages: readonly ChatMessage[], chat: TelegramChat): string {
  const share = Math.floor((maxCharacters - between.length * (messages.length - 1)) / messages.length);
  const texts = messages.map((message) => textOf(fitted(message, share, (one) => textOf(one).length)));
  return JSON.stringify({
    chat_id: chat.chat_id,
    ...(chat.message_thread_id !== null && { message_thread_id: chat.message_thread_id }),
    text: texts.join(between),
    parse_mode: 'MarkdownV2',
    link_preview_options: { is_disabled: true },
  });
}

function textOf({ title, subject, figures, links, tone, compact }: ChatMessage): string {
  const headline = `${marks[tone]} *${escaped(title)}:* ${verbatim(inLine(subject))}`;
  const shown = figures.map(
    ({ label, value, copied }) => `${escaped(label)}: ${copied ? verbatim(inLine(value)) : escaped(value)}`,
  );
  // Our links have no character that would have to be escaped in an address.
  const line = links.map(({ text, url }) => `[${escaped(text)}](${url})`).join(escaped(' · '));
  const lines = [headline, ...shown, ...(line === '' ? [] : [line])];
  return compact ? lines.join(escaped(' · ')) : lines.join('\n');
}
