import type { ChatKind } from '@sigcast/contracts';
import type { Answer } from '../post.ts';

/** What the answer of a provider says of an attempt. */
export type ChatAnswer =
  | { readonly succeeded: true }
  | {
      readonly succeeded: false;
      readonly error: string;
      /** How long the provider asks to wait, in milliseconds, beside `Retry-After`. */
      readonly waitMs?: number | undefined;
      /** Whether the chat takes no more messages, so that no retry can succeed. */
      readonly gone: boolean;
    };

/** Slack's whole answer about a webhook, a channel or a workspace that is gone or closed. */
const slackGone =
  /^(no_service|no_service_id|no_active_hooks|no_team|team_disabled|invalid_token|channel_not_found|channel_is_archived|action_prohibited|user_not_found)\s*$/;
/** Discord's codes of an unknown webhook and of a wrong token. */
const discordGone = [10_015, 50_027];

type DiscordError = { readonly code?: unknown; readonly message?: unknown; readonly retry_after?: unknown };
type TelegramError = {
  readonly ok?: unknown;
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: unknown; readonly migrate_to_chat_id?: unknown } | null;
};

/** How an answer of Telegram begins that has succeeded; it repeats the message, so that its end may be cut. */
const telegramAccepted = /^\s*\{\s*"ok"\s*:\s*true\b/;

/** Reads the answer of a chat's provider. Only the provider's own words say that a chat is gone: a page may be of a proxy. */
export function chatAnswer(kind: ChatKind, { status, body }: Pick<Answer, 'status' | 'body'>): ChatAnswer {
  const ok = status >= 200 && status < 300;
  if (kind === 'slack') {
    if (ok) return { succeeded: true };
    return { succeeded: false, error: said(status, body), gone: slackGone.test(body) };
  }
  if (kind === 'discord') {
    if (ok) return { succeeded: true };
    const { code, message, retry_after: wait } = parsed(body) as DiscordError;
    return {
      succeeded: false,
      error: said(status, message),
      waitMs: msOf(wait),
      gone: discordGone.some((one) => one === code),
    };
  }
  if (ok && telegramAccepted.test(body)) return { succeeded: true };
  const { ok: accepted, description, parameters } = parsed(body) as TelegramError;
  const { retry_after: wait, migrate_to_chat_id: moved } = parameters ?? {};
  const refused = accepted === false;
  if (refused && typeof moved === 'number') {
    return { succeeded: false, error: `The group became a supergroup: set chat_id to ${moved}`, gone: true };
  }
  // 401 and 404 are about the token; 403 is said by a bot that was blocked or removed.
  const isGone = [401, 403, 404].includes(status) || /chat not found/i.test(String(description));
  return { succeeded: false, error: said(status, description), waitMs: msOf(wait), gone: refused && isGone };
}

function said(status: number, text: unknown): string {
  if (status < 300) return `Answered ${status}, but not as the provider does`;
  const words = typeof text === 'string' && text !== '' ? `: ${text.slice(0, 200)}` : '';
  return `Answered ${status}${words}`;
}

function msOf(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds * 1_000) : undefined;
}

/** A JSON object; an empty one where the text is none. */
function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
