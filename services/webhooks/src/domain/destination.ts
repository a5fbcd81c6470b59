import {
  type ChatKind,
  type ChatTemplate,
  invalidRequest,
  type TelegramChat,
  type TelegramDestination,
  type WebhookKind,
} from '@sigcast/contracts';

/** A chat, without its address. */
export type Chat = {
  readonly kind: ChatKind;
  readonly template: ChatTemplate;
  /** Only for `telegram`. */
  readonly telegram: TelegramChat | null;
};

/** What a request says of where events are sent. */
export type GivenDestination = {
  readonly url?: string | undefined;
  readonly telegram?: TelegramDestination | undefined;
  readonly template?: ChatTemplate | undefined;
  readonly ordered?: boolean | undefined;
  readonly batch?: object | null | undefined;
};

/** An address. `address`: the whole of it where that is secret; `url` is then shown instead. */
export type Destination = { readonly url: string; readonly address?: string };

/** What is wrong with a callback address, or undefined. */
type CheckUrl = (url: string) => string | undefined;

/** The addresses that Slack and Discord give. The token is the last part of the path: 24 characters of Slack, 68 of Discord. */
const givenAddresses = {
  slack: {
    form: /^https:\/\/hooks\.slack(?:-gov)?\.com\/services\/T\w+\/B\w+\/\w{16,}$/,
    wanted: 'must be the address of an incoming webhook of Slack: https://hooks.slack.com/services/T…/B…/…',
  },
  discord: {
    form: /^https:\/\/(?:(?:canary|ptb)\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/[\w-]{16,}$/,
    wanted: 'must be the address of a webhook of Discord: https://discord.com/api/webhooks/…/…',
  },
} as const;

/**
 * The address that a request names; undefined when it names none.
 * @throws {SigcastError} INVALID_REQUEST that names the member that is wrong for this kind.
 */
export function destinationOf(
  kind: WebhookKind,
  { url, telegram, template, ordered, batch }: GivenDestination,
  checkUrl: CheckUrl,
): Destination | undefined {
  if (kind !== 'telegram' && telegram !== undefined) throw wrong('telegram', 'is only for the kind telegram');
  if (kind === 'webhook') {
    if (template !== undefined) throw wrong('template', 'is only for the kinds slack, discord and telegram');
    const refused = url === undefined ? undefined : checkUrl(url);
    if (refused) throw wrong('url', refused);
    return url === undefined ? undefined : { url };
  }
  if (ordered === false) throw wrong('ordered', `must be true or left out for the kind ${kind}`);
  if (batch) throw wrong('batch', 'is only for the kind webhook; chats put events together by themselves');
  if (kind === 'telegram') {
    if (url !== undefined)
      throw wrong('url', 'must be left out for the kind telegram, which has telegram instead');
    if (telegram === undefined) return undefined;
    const { bot_token, chat_id } = telegram;
    const { url: shown, address } = hidden(`https://api.telegram.org/bot${bot_token}/sendMessage`);
    // The chat is in the body of a request; shown, it tells chats of one bot apart.
    return { url: `${shown}?chat_id=${encodeURIComponent(chat_id)}`, address };
  }
  if (url === undefined) return undefined;
  const { form, wanted } = givenAddresses[kind];
  if (!form.test(url)) throw wrong('url', wanted);
  return hidden(url.replace('discordapp.com', 'discord.com'));
}

/** @throws {SigcastError} INVALID_REQUEST when a request for a new subscription names no address. */
export function requireDestination(kind: WebhookKind, destination: Destination | undefined): Destination {
  if (destination === undefined) throw wrong(kind === 'telegram' ? 'telegram' : 'url', 'is required');
  return destination;
}

/** The chat of a request, without its token. */
export function telegramChatOf({ chat_id, message_thread_id }: TelegramDestination): TelegramChat {
  return { chat_id, message_thread_id: message_thread_id ?? null };
}

/** The secret part of a chat's address. */
export function tokenOf(address: string): string {
  return /\/bot\d+:([\w-]+)\/sendMessage$/.exec(address)?.[1] ?? address.slice(address.lastIndexOf('/') + 1);
}

/** How much of a token is shown, so that its owner knows it from others. */
const shownCharacters = 4;

/** A token with all but its last characters hidden. */
export function maskedToken(token: string): string {
  return `***${token.slice(-shownCharacters)}`;
}

/** A text with the token masked, also the beginning of the token at the end of a text that was cut. */
export function withoutToken(text: string, token: string): string {
  const masked = text.replaceAll(token, maskedToken(token));
  const mark = masked.endsWith('…') ? '…' : '';
  const kept = masked.slice(0, masked.length - mark.length);
  for (let length = token.length - 1; length > shownCharacters; length--) {
    if (kept.endsWith(token.slice(0, length))) return `${kept.slice(0, -length)}***${mark}`;
  }
  return masked;
}

function hidden(address: string): Required<Destination> {
  const token = tokenOf(address);
  const at = address.lastIndexOf(token);
  return { url: address.slice(0, at) + maskedToken(token) + address.slice(at + token.length), address };
}

function wrong(field: string, message: string) {
  return invalidRequest([{ field, message }]);
}
