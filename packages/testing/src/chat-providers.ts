import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message that a chat got. */
export type ChatMessageReceived = {
  /** `slack`, `discord` or `telegram`. */
  readonly kind: string;
  /** The provider's host and the path, with the query. */
  readonly path: string;
  readonly body: string;
  /** When it came, on the clock of `performance.now()`. */
  readonly atMs: number;
};

/** An answer of a provider in its own form, or `hang` (never answers), or `drop` (takes the message, then closes the connection). */
export type ChatProviderAnswer =
  | { readonly status: number; readonly body: string | object; readonly retryAfter?: number }
  | 'hang'
  | 'drop';

/** Slack, Discord and Telegram on loopback: each gets its own host name as the first part of the path. */
export type ChatProviders = {
  readonly url: string;
  /** What the chats show, in order. */
  readonly messages: readonly ChatMessageReceived[];
  /** How many messages were refused because they came too fast. */
  readonly refused: number;
  /** Queues answers for the next requests to chats of a kind. */
  answer(kind: string, ...answers: readonly ChatProviderAnswer[]): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Starts stand-ins of the three providers. Without a queued answer they accept a message as the provider does.
 * @param minGapMs messages to one chat that come sooner after another are refused with 429, in the provider's form.
 */
export async function startChatProviders({ minGapMs = 0 } = {}): Promise<ChatProviders> {
  const messages: ChatMessageReceived[] = [];
  const queued = new Map<string, ChatProviderAnswer[]>();
  const lastAt = new Map<string, number>();
  let refused = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = (request.url ?? '').slice(1);
      const kind = /slack|discord|telegram/.exec(path)?.[0] ?? '';
      const body = Buffer.concat(chunks).toString();
      const atMs = performance.now();
      const chat = `${path} ${kind === 'telegram' ? String((JSON.parse(body) as { chat_id: unknown }).chat_id) : ''}`;
      const fast = atMs - (lastAt.get(chat) ?? Number.NEGATIVE_INFINITY) < minGapMs;
      if (fast) refused++;
      const answer = queued.get(kind)?.shift() ?? (fast ? tooFast(kind) : accepted(kind));
      if (answer === 'hang') return;
      if (answer === 'drop' || answer.status < 300) {
        lastAt.set(chat, atMs);
        messages.push({ kind, path, body, atMs });
      }
      if (answer === 'drop') return request.socket.destroy();
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      response
        .writeHead(answer.status, {
          'content-type': typeof answer.body === 'string' ? 'text/html' : 'application/json',
          ...(answer.retryAfter !== undefined && { 'retry-after': String(answer.retryAfter) }),
        })
        .end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    get refused() {
      return refused;
    },
    answer: (kind, ...answers) => {
      queued.set(kind, [...(queued.get(kind) ?? []), ...answers]);
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function accepted(kind: string): ChatProviderAnswer {
  if (kind === 'slack') return { status: 200, body: 'ok' };
  if (kind === 'discord') return { status: 200, body: { id: '1', type: 0, webhook_id: '2' } };
  return { status: 200, body: { ok: true, result: { message_id: 1 } } };
}

/** Each provider's way to say that messages come too fast. */
function tooFast(kind: string): ChatProviderAnswer {
  if (kind === 'slack') return { status: 429, body: 'rate_limited', retryAfter: 1 };
  if (kind === 'discord') {
    return {
      status: 429,
      body: { message: 'You are being rate limited.', retry_after: 0.45, global: false },
      retryAfter: 1,
    };
  }
  const description = 'Too Many Requests: retry after 1';
  return {
    status: 429,
    body: { ok: false, error_code: 429, description, parameters: { retry_after: 1 } },
  };
}
